#pragma once

#include <algorithm>

#include "brim/shape.h"

namespace brim::ops {

/// Elements in one band of a reducing traversal: small enough that the values stay in the L2 cache between the program
/// that makes them and the reduction that folds them (256 KiB of float64).
inline constexpr std::int64_t kBandElements = 32768;

/// How a box is cut into bands: whole in the axes behind `axis`, `extent` long on it, 1 before it.
struct BandCut {
  std::size_t axis = 0;
  std::int64_t extent = 1;
  std::int64_t elements = 1;  ///< in the largest band
};

inline BandCut band_cut(const Shape& shape) {
  std::int64_t behind = 1;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    const auto whole = behind * shape[axis];
    if (whole > kBandElements || axis == 0) {
      const auto extent = std::clamp<std::int64_t>(kBandElements / std::max<std::int64_t>(behind, 1), 1,
                                                   std::max<std::int64_t>(shape[axis], 1));
      return {axis, extent, extent * behind};
    }
    behind = whole;
  }
  return {};
}

/// Calls visit(band) for every band of a box that is not empty, in C order.
template <typename Visit>
void for_each_band(const Box& box, const BandCut& cut, Visit visit) {
  if (box.empty()) return;
  if (box.rank() == 0) return visit(box);
  Box band = box;
  for (std::size_t axis = 0; axis < cut.axis; ++axis) band.stop[axis] = band.start[axis] + 1;
  for (;;) {
    for (auto at = box.start[cut.axis]; at < box.stop[cut.axis]; at += cut.extent) {
      band.start[cut.axis] = at;
      band.stop[cut.axis] = std::min(box.stop[cut.axis], at + cut.extent);
      visit(band);
    }
    auto axis = static_cast<std::ptrdiff_t>(cut.axis) - 1;
    for (; axis >= 0; --axis) {
      const auto a = static_cast<std::size_t>(axis);
      if (++band.start[a] < box.stop[a]) break;
      band.start[a] = box.start[a];
    }
    for (std::size_t a = 0; a < cut.axis; ++a) band.stop[a] = band.start[a] + 1;
    if (axis < 0) return;
  }
}

}  // namespace brim::ops
