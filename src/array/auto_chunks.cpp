#include "array/auto_chunks.h"

#include <algorithm>

namespace brim {
namespace {

constexpr std::int64_t kTargetBytes = 16 << 20;

}  // namespace

Shape auto_chunks(const Shape& shape, std::int64_t item_size, const std::optional<Shape>& storage_chunk) {
  Shape chunk = storage_chunk.value_or(Shape(shape.size(), 1));
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    chunk[axis] = std::clamp<std::int64_t>(chunk[axis], 1, std::max<std::int64_t>(1, shape[axis]));
  auto bytes = item_size;
  for (const auto extent : chunk) bytes *= extent;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    const auto room = kTargetBytes / bytes;
    if (room < 2) break;
    const auto whole = (shape[axis] + chunk[axis] - 1) / chunk[axis];
    const auto times = std::clamp<std::int64_t>(whole, 1, room);
    bytes *= times;
    chunk[axis] = std::min(chunk[axis] * times, std::max<std::int64_t>(1, shape[axis]));
    if (times < whole) break;
  }
  return chunk;
}

}  // namespace brim
