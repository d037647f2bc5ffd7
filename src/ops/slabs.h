#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "brim/shape.h"

namespace brim::ops {

/// The box cut across `axis` into at most `parts` boxes of about the same size, at multiples of `step` from its start.
inline std::vector<Box> slabs(const Box& box, std::size_t axis, int parts, std::int64_t step = 1) {
  const auto extent = box.stop[axis] - box.start[axis];
  const auto steps = (extent + step - 1) / step;
  const auto count = std::clamp<std::int64_t>(steps, 1, parts);
  std::vector<Box> result;
  for (std::int64_t i = 0; i < count; ++i) {
    Box part = box;
    part.start[axis] = box.start[axis] + steps * i / count * step;
    part.stop[axis] = std::min(box.stop[axis], box.start[axis] + steps * (i + 1) / count * step);
    result.push_back(part);
  }
  return result;
}

/// How many of the threads are worth waking for that many elements.
inline int worth_threads(const Shape& shape, int threads) {
  constexpr std::int64_t kElementsEach = 32768;
  return static_cast<int>(std::clamp<std::int64_t>(element_count(shape) / kElementsEach, 1, threads));
}

/// The outermost axis that is longer than 1: what is cut across it lies in one piece each. The rank where there is
/// none.
inline std::size_t outermost_axis(const Shape& shape) {
  return static_cast<std::size_t>(
      std::find_if(shape.begin(), shape.end(), [](std::int64_t extent) { return extent > 1; }) - shape.begin());
}

/// An axis that can be cut into equal parts for that many threads: the outermost one that is long enough, or the
/// longest.
inline std::size_t axis_to_share(const Shape& shape, int threads) {
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    if (shape[axis] >= std::int64_t{8} * threads) return axis;
  return static_cast<std::size_t>(std::max_element(shape.begin(), shape.end()) - shape.begin());
}

}  // namespace brim::ops
