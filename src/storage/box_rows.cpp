#include "storage/box_rows.h"

#include <algorithm>

#include "core/check.h"

namespace brim::storage {

BoxRows::BoxRows(const Placement& from, const Placement& to, const Shape& extents) {
  const auto rank = extents.size();
  check(from.array.size() == rank && to.array.size() == rank, "a box moves between arrays of another rank");
  std::vector<Axis> axes;  // innermost first; neighbours that are one stretch in both arrays are merged
  Axis stride{1, 1, 1};
  for (std::size_t axis = rank; axis-- > 0;) {
    first_.from += from.start[axis] * stride.from_stride;
    first_.to += to.start[axis] * stride.to_stride;
    const Axis current{extents[axis], stride.from_stride, stride.to_stride};
    stride.from_stride *= from.array[axis];
    stride.to_stride *= to.array[axis];
    if (current.extent == 1) continue;
    const bool joins = !axes.empty() && current.from_stride == axes.back().extent * axes.back().from_stride &&
                       current.to_stride == axes.back().extent * axes.back().to_stride;
    if (joins)
      axes.back().extent *= current.extent;
    else
      axes.push_back(current);
  }
  const bool rows_are_contiguous = !axes.empty() && axes.front().from_stride == 1 && axes.front().to_stride == 1;
  if (!rows_are_contiguous) axes.insert(axes.begin(), Axis{1, 1, 1});
  if (axes.size() == 1) axes.push_back({1, 0, 0});
  first_.length = axes[0].extent;
  first_.rows = axes[1].extent;
  first_.from_stride = axes[1].from_stride;
  first_.to_stride = axes[1].to_stride;
  outer_.assign(axes.rbegin(), axes.rend() - 2);
  for (const Axis& axis : outer_)
    if (axis.extent == 0) first_.rows = 0;
}

}  // namespace brim::storage
