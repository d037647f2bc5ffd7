#include "print_values.h"

#include <fmt/format.h>

#include <cstring>

namespace brim::tool {
namespace {

template <typename T>
T element(const Values& values, std::int64_t index) {
  T value;
  std::memcpy(&value, values.bytes.data() + index * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
  return value;
}

std::string text_of(const Values& values, std::int64_t index) {
  switch (values.dtype) {
    case DType::kBool:
      return element<std::uint8_t>(values, index) != 0 ? "true" : "false";
    case DType::kInt8:
      return std::to_string(element<std::int8_t>(values, index));
    case DType::kInt16:
      return std::to_string(element<std::int16_t>(values, index));
    case DType::kInt32:
      return std::to_string(element<std::int32_t>(values, index));
    case DType::kInt64:
      return std::to_string(element<std::int64_t>(values, index));
    case DType::kUInt8:
      return std::to_string(element<std::uint8_t>(values, index));
    case DType::kUInt16:
      return std::to_string(element<std::uint16_t>(values, index));
    case DType::kUInt32:
      return std::to_string(element<std::uint32_t>(values, index));
    case DType::kUInt64:
      return std::to_string(element<std::uint64_t>(values, index));
    case DType::kFloat32:
      return fmt::format("{}", element<float>(values, index));
    case DType::kFloat64:
      return fmt::format("{}", element<double>(values, index));
  }
  return "?";
}

/// "[2, 0, :] " before a line of an array of several axes.
std::string heading(const Shape& shape, std::int64_t line) {
  if (shape.size() < 2) return {};
  std::string text = ":]  ";
  for (std::size_t axis = shape.size() - 1; axis-- > 0;) {
    text = fmt::format("{}, ", line % shape[axis]) + text;
    line /= shape[axis];
  }
  return "[" + text;
}

}  // namespace

void print_values(const Values& values) {
  const auto count = element_count(values.shape);
  const auto width = values.shape.empty() ? 1 : values.shape.back();
  for (std::int64_t index = 0; index < count; ++index) {
    if (width > 0 && index % width == 0) fmt::print("{}", heading(values.shape, index / width));
    fmt::print("{}{}", text_of(values, index), (index + 1) % width == 0 ? "\n" : " ");
  }
  if (count == 0) fmt::print("no elements: shape {}, dtype {}\n", to_string(values.shape), to_string(values.dtype));
}

}  // namespace brim::tool
