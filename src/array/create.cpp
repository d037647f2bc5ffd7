#include <fmt/format.h>

#include <cmath>

#include "array/auto_chunks.h"
#include "array/promotion.h"
#include "brim/error.h"

namespace brim {
namespace {

ChunkGrid grid_for(const Shape& shape, DType dtype, const CreateOptions& options) {
  for (const auto extent : shape)
    if (extent < 0) throw UsageError(fmt::format("shape {} has a negative extent", to_string(shape)));
  return {shape, options.chunks ? *options.chunks : auto_chunks(shape, item_size(dtype), std::nullopt)};
}

double as_double(const Operand& number) {
  struct Value {
    double operator()(const Array&) const { throw UsageError("arange counts between numbers, not arrays"); }
    double operator()(bool value) const { return value ? 1 : 0; }
    double operator()(std::int64_t value) const { return static_cast<double>(value); }
    double operator()(std::uint64_t value) const { return static_cast<double>(value); }
    double operator()(double value) const { return value; }
  };
  return std::visit(Value{}, number.value());
}

Scalar range_scalar(const Operand& number, DType dtype) {
  // Steps and starts of a range count in the widest type of its kind; the values are narrowed one by one.
  const auto wide = is_floating(dtype) ? DType::kFloat64 : DType::kInt64;
  return *find_constant(constant(number, wide, "arange"));
}

}  // namespace

Array full(const Shape& shape, Operand value, const CreateOptions& options) {
  if (std::holds_alternative<Array>(value.value())) throw UsageError("full: the value must be a number, not an array");
  const auto dtype = options.dtype.value_or(own_dtype(value));
  const auto scalar = find_constant(constant(value, dtype, "full"));
  return make_array(dtype, grid_for(shape, dtype, options), {}, FullNode{*scalar});
}

Array zeros(const Shape& shape, const CreateOptions& options) {
  CreateOptions typed = options;
  typed.dtype = options.dtype.value_or(DType::kFloat64);
  return full(shape, 0, typed);
}

Array ones(const Shape& shape, const CreateOptions& options) {
  CreateOptions typed = options;
  typed.dtype = options.dtype.value_or(DType::kFloat64);
  return full(shape, 1, typed);
}

Array arange(Operand start, std::optional<Operand> stop, Operand step, const CreateOptions& options) {
  const Operand from = stop ? start : Operand(0);
  const Operand to = stop ? *stop : start;
  DType dtype = DType::kInt64;
  for (const Operand* part : {&from, &to, static_cast<const Operand*>(&step)})
    if (own_dtype(*part) == DType::kFloat64) dtype = DType::kFloat64;
  dtype = options.dtype.value_or(dtype);
  if (is_bool(dtype)) throw UsageError("arange has no bool values", "use an integer or floating dtype");
  const double width = as_double(step);
  if (width == 0 || !std::isfinite(width)) throw UsageError("arange: the step must be a number other than 0");
  const double length = std::ceil((as_double(to) - as_double(from)) / width);
  if (!std::isfinite(length) || length > 0x1p62)
    throw UsageError("arange: the bounds must be finite and less than 2^62 steps apart");
  const auto count = std::max<std::int64_t>(0, static_cast<std::int64_t>(length));
  return make_array(dtype, grid_for({count}, dtype, options), {},
                    RangeNode{range_scalar(from, dtype), range_scalar(step, dtype), std::nullopt});
}

Array linspace(double start, double stop, std::int64_t num, bool endpoint, const CreateOptions& options) {
  if (num < 0) throw UsageError(fmt::format("linspace: {} values", num), "num must be 0 or more");
  const auto dtype = options.dtype.value_or(DType::kFloat64);
  if (!is_floating(dtype))
    throw UsageError(fmt::format("linspace has no {} values", to_string(dtype)), "use float32 or float64");
  const auto steps = endpoint ? num - 1 : num;
  const double step = steps > 0 ? (stop - start) / static_cast<double>(steps) : 0.0;
  RangeNode range{{DType::kFloat64, start}, {DType::kFloat64, step}, std::nullopt};
  if (endpoint && num > 1) range.last = stop;
  return make_array(dtype, grid_for({num}, dtype, options), {}, range);
}

Array synthetic(const SyntheticOptions& options) {
  if (options.tasks < 1) throw UsageError(fmt::format("synthetic work of {} tasks", options.tasks), "use 1 or more");
  if (options.memory.count() < 0 || options.cpu_nanoseconds < 0 || options.wait_nanoseconds < 0)
    throw UsageError("synthetic work takes amounts of 0 or more");
  std::vector<NodePtr> after;
  for (const auto& before : options.after) {
    if (!std::holds_alternative<SyntheticNode>(before.node()->detail))
      throw UsageError("synthetic work comes after synthetic work only", "after= takes arrays that synthetic() made");
    after.push_back(before.node());
  }
  return make_array(DType::kFloat64, ChunkGrid({options.tasks}, {1}), std::move(after),
                    SyntheticNode{options.memory, options.cpu_nanoseconds, options.wait_nanoseconds});
}

}  // namespace brim
