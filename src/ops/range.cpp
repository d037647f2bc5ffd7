#include "ops/range.h"

#include <cstring>

#include "core/check.h"

namespace brim::ops {
namespace {

template <typename T, typename Wide>
void fill(Wide first, Wide step, std::int64_t start, std::int64_t stop, std::byte* values) {
  for (auto i = start; i < stop; ++i, values += sizeof(T)) {
    // Integers wrap as NumPy's do; unsigned arithmetic keeps that defined.
    const auto value = static_cast<T>(first + static_cast<Wide>(i) * step);
    std::memcpy(values, &value, sizeof(T));
  }
}

std::uint64_t as_integer(const Scalar& scalar) {
  return std::visit([](auto value) { return static_cast<std::uint64_t>(value); }, scalar.value);
}

double as_double(const Scalar& scalar) {
  return std::visit([](auto value) { return static_cast<double>(value); }, scalar.value);
}

}  // namespace

void fill_range(const RangeInput& input, DType dtype, std::int64_t start, std::int64_t stop, std::byte* values) {
  const auto& range = input.range;
  const auto integer = [&](auto sample) {
    fill<decltype(sample)>(as_integer(range.start), as_integer(range.step), start, stop, values);
  };
  const auto floating = [&](auto sample) {
    using T = decltype(sample);
    fill<T>(as_double(range.start), as_double(range.step), start, stop, values);
    if (!range.last || stop != input.count || stop == start) return;
    const auto last = static_cast<T>(*range.last);
    std::memcpy(values + (stop - 1 - start) * static_cast<std::int64_t>(sizeof(T)), &last, sizeof(T));
  };
  switch (dtype) {
    case DType::kInt8:
      return integer(std::int8_t{});
    case DType::kInt16:
      return integer(std::int16_t{});
    case DType::kInt32:
      return integer(std::int32_t{});
    case DType::kInt64:
      return integer(std::int64_t{});
    case DType::kUInt8:
      return integer(std::uint8_t{});
    case DType::kUInt16:
      return integer(std::uint16_t{});
    case DType::kUInt32:
      return integer(std::uint32_t{});
    case DType::kUInt64:
      return integer(std::uint64_t{});
    case DType::kFloat32:
      return floating(float{});
    case DType::kFloat64:
      return floating(double{});
    case DType::kBool:
      break;
  }
  check(false, "a range of bools");
}

}  // namespace brim::ops
