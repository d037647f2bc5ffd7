#pragma once

#include <cstdint>
#include <vector>

#include "brim/shape.h"

namespace brim::storage {

/// Rows of a box that lie at equal distances in both arrays. All figures are in elements.
struct RowGroup {
  std::int64_t from = 0;  ///< first element of the first row in the one array
  std::int64_t to = 0;    ///< and in the other
  std::int64_t rows = 0;
  std::int64_t from_stride = 0;
  std::int64_t to_stride = 0;
  std::int64_t length = 0;  ///< elements of one row: contiguous in both arrays
};

/// Where a box lies in a C-contiguous array.
struct Placement {
  const Shape& array;  ///< extents of the array
  Shape start;         ///< the box's first element in it
};

/// How a box moves from one C-contiguous array to another: as few row groups as possible, in rising order of the places
/// in both.
class BoxRows {
 public:
  BoxRows(const Placement& from, const Placement& to, const Shape& extents);

  template <typename Visit>
  void for_each_group(Visit visit) const {
    RowGroup group = first_;
    std::vector<std::int64_t> position(outer_.size());
    for (bool more = group.rows > 0 && group.length > 0; more;) {
      visit(group);
      more = false;
      for (std::size_t axis = outer_.size(); axis-- > 0 && !more;) {
        const Axis& along = outer_[axis];
        more = ++position[axis] < along.extent;
        const std::int64_t steps = more ? 1 : 1 - along.extent;
        if (!more) position[axis] = 0;
        group.from += steps * along.from_stride;
        group.to += steps * along.to_stride;
      }
    }
  }

 private:
  struct Axis {
    std::int64_t extent;
    std::int64_t from_stride;
    std::int64_t to_stride;
  };
  RowGroup first_;
  std::vector<Axis> outer_;
};

}  // namespace brim::storage
