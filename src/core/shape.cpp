#include "brim/shape.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "brim/error.h"
#include "core/check.h"

namespace brim {

std::int64_t element_count(const Shape& shape) {
  constexpr std::int64_t kLimit = std::int64_t{1} << 62;
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
  std::int64_t count = 1;
  for (const auto extent : shape) {
    if (extent > kLimit / count) throw UsageError("shape " + to_string(shape) + " has more than 2^62 elements");
    count *= extent;
  }
  return count;
}

std::string to_string(const Shape& shape) {
  if (shape.size() == 1) return fmt::format("({},)", shape.front());
  return fmt::format("({})", fmt::join(shape, ", "));
}

Shape broadcast_shapes(const Shape& a, const Shape& b) {
  const Shape& longer = a.size() >= b.size() ? a : b;
  const Shape& shorter = a.size() >= b.size() ? b : a;
  Shape result = longer;
  const auto offset = longer.size() - shorter.size();
  for (std::size_t axis = 0; axis < shorter.size(); ++axis) {
    auto& extent = result[offset + axis];
    const auto other = shorter[axis];
    if (extent == other || other == 1) continue;
    if (extent != 1)
      throw UsageError(fmt::format("shapes {} and {} do not broadcast", to_string(a), to_string(b)),
                       "extents must be equal or 1, counted from the last axis");
    extent = other;
  }
  return result;
}

Shape Box::shape() const {
  Shape extents(start.size());
  for (std::size_t axis = 0; axis < start.size(); ++axis) extents[axis] = stop[axis] - start[axis];
  return extents;
}

bool Box::empty() const {
  for (std::size_t axis = 0; axis < start.size(); ++axis)
    if (stop[axis] <= start[axis]) return true;
  return false;
}

Box intersect(const Box& a, const Box& b) {
  check(a.rank() == b.rank(), "boxes of different rank do not meet");
  Box common = a;
  for (std::size_t axis = 0; axis < a.start.size(); ++axis) {
    common.start[axis] = std::max(a.start[axis], b.start[axis]);
    common.stop[axis] = std::max(common.start[axis], std::min(a.stop[axis], b.stop[axis]));
  }
  return common;
}

std::string to_string(const Box& box) {
  std::string text = "[";
  for (std::size_t axis = 0; axis < box.start.size(); ++axis)
    text += fmt::format("{}{}:{}", axis == 0 ? "" : ", ", box.start[axis], box.stop[axis]);
  return text + "]";
}

}  // namespace brim
