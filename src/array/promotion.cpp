#include "array/promotion.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "brim/error.h"

namespace brim {
namespace {

bool is_array(const Operand& operand) { return std::holds_alternative<Array>(operand.value()); }

/// Order of kinds in weak promotion: bool < integer < floating.
int kind_rank(DType dtype) { return is_bool(dtype) ? 0 : is_integer(dtype) ? 1 : 2; }

/// The dtype of arrays of `arrays` together with a number: the arrays' own unless the number's kind is higher.
DType with_number(DType arrays, const Operand& number) {
  const auto own = own_dtype(number);
  if (kind_rank(own) <= kind_rank(arrays)) return arrays;
  return own;
}

/// The range of an integer dtype, as doubles for the message and exact bounds for the test.
struct Range {
  std::int64_t low;
  std::uint64_t high;
};

Range range_of(DType dtype) {
  const auto bits = static_cast<int>(item_size(dtype)) * 8;
  if (is_unsigned_integer(dtype)) return {0, std::numeric_limits<std::uint64_t>::max() >> (64 - bits)};
  return {std::numeric_limits<std::int64_t>::min() >> (64 - bits),
          std::numeric_limits<std::uint64_t>::max() >> (65 - bits)};
}

bool fits(std::int64_t value, const Range& range) {
  return value >= range.low && (value < 0 || static_cast<std::uint64_t>(value) <= range.high);
}
bool fits(std::uint64_t value, const Range& range) { return value <= range.high; }

template <typename T>
ScalarValue integer_as(T value, DType dtype, std::string_view what) {
  const auto range = range_of(dtype);
  if (!fits(value, range))
    throw UsageError(fmt::format("{}: the number {} does not fit {}", what, value, to_string(dtype)),
                     fmt::format("{} holds {} to {}; convert the array first: astype(x, 'int64')", to_string(dtype),
                                 range.low, range.high));
  if (is_unsigned_integer(dtype)) return static_cast<std::uint64_t>(value);
  return static_cast<std::int64_t>(value);
}

double rounded_to(double value, DType dtype) {
  return dtype == DType::kFloat32 ? static_cast<double>(static_cast<float>(value)) : value;
}

}  // namespace

DType own_dtype(const Operand& number) {
  struct Own {
    DType operator()(const Array& array) const { return array.dtype(); }
    DType operator()(bool) const { return DType::kBool; }
    DType operator()(std::int64_t) const { return DType::kInt64; }
    DType operator()(std::uint64_t value) const {
      return value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) ? DType::kUInt64
                                                                                          : DType::kInt64;
    }
    DType operator()(double) const { return DType::kFloat64; }
  };
  return std::visit(Own{}, number.value());
}

Array constant(const Operand& number, DType dtype, std::string_view what) {
  struct Convert {
    DType dtype;
    std::string_view what;
    ScalarValue operator()(const Array&) const { return 0.0; }
    ScalarValue operator()(bool value) const { return (*this)(static_cast<std::int64_t>(value)); }
    ScalarValue operator()(std::int64_t value) const {
      if (is_bool(dtype)) return value != 0;
      if (is_floating(dtype)) return rounded_to(static_cast<double>(value), dtype);
      return integer_as(value, dtype, what);
    }
    ScalarValue operator()(std::uint64_t value) const {
      if (is_bool(dtype)) return value != 0;
      if (is_floating(dtype)) return rounded_to(static_cast<double>(value), dtype);
      return integer_as(value, dtype, what);
    }
    ScalarValue operator()(double value) const {
      if (is_bool(dtype)) return value != 0;
      if (is_floating(dtype)) return rounded_to(value, dtype);
      if (std::isfinite(value) && std::abs(value) < 0x1p63) return (*this)(static_cast<std::int64_t>(value));
      throw UsageError(fmt::format("{}: the number {} does not fit {}", what, value, to_string(dtype)));
    }
  };
  return make_array(dtype, ChunkGrid({}, {}), {}, FullNode{{dtype, std::visit(Convert{dtype, what}, number.value())}});
}

std::vector<Array> promoted(const std::vector<Operand>& operands, std::string_view what) {
  std::optional<DType> common;
  for (const auto& operand : operands)
    if (is_array(operand)) {
      const auto dtype = own_dtype(operand);
      common = common ? promote(*common, dtype) : dtype;
    }
  for (const auto& operand : operands)
    if (!is_array(operand)) common = common ? with_number(*common, operand) : own_dtype(operand);
  std::vector<Array> arrays;
  arrays.reserve(operands.size());
  for (const auto& operand : operands)
    arrays.push_back(is_array(operand) ? astype(std::get<Array>(operand.value()), *common)
                                       : constant(operand, *common, what));
  return arrays;
}

std::optional<Scalar> find_constant(const Array& array) {
  const auto* full = std::get_if<FullNode>(&array.node()->detail);
  if (full == nullptr || array.ndim() != 0) return std::nullopt;
  return full->value;
}

}  // namespace brim
