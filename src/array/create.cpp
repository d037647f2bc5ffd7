#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "array/auto_chunks.h"
#include "array/promotion.h"
#include "brim/error.h"

namespace brim {
namespace {

constexpr std::uint64_t kMostSteps = std::uint64_t{1} << 62;

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

/// The length of a range: whole numbers are counted exactly, however large.
std::int64_t range_length(std::int64_t from, std::int64_t to, std::int64_t step) {
  if (step > 0 ? from >= to : from <= to) return 0;
  const auto low = static_cast<std::uint64_t>(std::min(from, to));
  const auto distance = static_cast<std::uint64_t>(std::max(from, to)) - low;
  const auto stride = step > 0 ? static_cast<std::uint64_t>(step) : 0 - static_cast<std::uint64_t>(step);
  return static_cast<std::int64_t>(std::min(kMostSteps + 1, (distance - 1) / stride + 1));
}

std::int64_t range_length(double from, double to, double step) {
  if (!std::isfinite(from) || !std::isfinite(to)) throw UsageError("arange: the bounds must be finite");
  const double length = std::ceil((to - from) / step);
  return static_cast<std::int64_t>(std::clamp(length, 0.0, static_cast<double>(kMostSteps) * 2));
}

/// A start or step in the type that a range counts in: the values are narrowed one by one.
Scalar range_scalar(const Operand& number, DType dtype, std::string_view what) {
  if (!is_floating(dtype) && std::floor(as_double(number)) != as_double(number))
    throw UsageError(
        fmt::format("arange: the {} {} is not a whole number as {} is", what, as_double(number), to_string(dtype)),
        "use a floating dtype");
  return *find_constant(constant(number, is_floating(dtype) ? DType::kFloat64 : DType::kInt64, "arange"));
}

/// Throws UsageError when the values of a range of whole numbers do not fit its dtype.
void require_fitting(const RangeNode& range, std::int64_t count, DType dtype) {
  if (is_floating(dtype) || count == 0) return;
  const auto from = std::get<std::int64_t>(range.start.value);
  const auto step = std::get<std::int64_t>(range.step.value);
  // The product may pass 64 bits on the way to a value that does not; doubles tell whether that one does too.
  const auto last = static_cast<std::int64_t>(static_cast<std::uint64_t>(from) +
                                              static_cast<std::uint64_t>(count - 1) * static_cast<std::uint64_t>(step));
  const double near = static_cast<double>(from) + static_cast<double>(count - 1) * static_cast<double>(step);
  if (std::abs(near - static_cast<double>(last)) > 0x1p62)
    throw UsageError("arange: its values pass 64 bits", "use a floating dtype");
  constant(from, dtype, "arange");
  constant(last, dtype, "arange");
}

}  // namespace

Array full(const Shape& shape, const Operand& value, const CreateOptions& options) {
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

Array arange(const Operand& start, const std::optional<Operand>& stop, const Operand& step,
             const CreateOptions& options) {
  const Operand from = stop ? start : Operand(0);
  const Operand to = stop ? *stop : start;
  DType own = DType::kInt64;
  for (const Operand* part : {&from, &to, &step})
    if (std::holds_alternative<double>(part->value())) own = DType::kFloat64;
  const auto dtype = options.dtype.value_or(own);
  if (is_bool(dtype)) throw UsageError("arange has no bool values", "use an integer or floating dtype");
  const double first = as_double(from);
  const double end = as_double(to);
  const double width = as_double(step);
  if (width == 0 || !std::isfinite(width)) throw UsageError("arange: the step must be a number other than 0");
  const bool whole = own == DType::kInt64;
  const auto number = [](const Operand& part) {
    return std::get<std::int64_t>(find_constant(constant(part, DType::kInt64, "arange"))->value);
  };
  const auto count = whole ? range_length(number(from), number(to), number(step)) : range_length(first, end, width);
  if (count > static_cast<std::int64_t>(kMostSteps))
    throw UsageError("arange: the bounds must be at most 2^62 steps apart");
  const RangeNode range{range_scalar(from, dtype, "start"), range_scalar(step, dtype, "step"), std::nullopt};
  require_fitting(range, count, dtype);
  return make_array(dtype, grid_for({count}, dtype, options), {}, range);
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
  const auto touched = options.touched.value_or(options.memory);
  if (options.memory.count() < 0 || touched.count() < 0 || options.cpu_nanoseconds < 0 || options.wait_nanoseconds < 0)
    throw UsageError("synthetic work takes amounts of 0 or more");
  std::vector<NodePtr> after;
  for (const auto& before : options.after) {
    if (!std::holds_alternative<SyntheticNode>(before.node()->detail))
      throw UsageError("synthetic work comes after synthetic work only", "after= takes arrays that synthetic() made");
    after.push_back(before.node());
  }
  return make_array(DType::kFloat64, ChunkGrid({options.tasks}, {1}), std::move(after),
                    SyntheticNode{options.memory, touched, options.cpu_nanoseconds, options.wait_nanoseconds});
}

}  // namespace brim
