#include "brim/chunk_grid.h"

#include <fmt/format.h>

#include <algorithm>

#include "brim/error.h"
#include "core/check.h"

namespace brim {

ChunkGrid::ChunkGrid(Shape shape, Shape chunk_shape) : shape_(std::move(shape)), chunk_shape_(std::move(chunk_shape)) {
  if (shape_.size() != chunk_shape_.size())
    throw UsageError(fmt::format("chunks {} do not fit the shape {}: {} axes against {}", to_string(chunk_shape_),
                                 to_string(shape_), chunk_shape_.size(), shape_.size()));
  if (shape_.size() > kMaxRank)
    throw UsageError(fmt::format("an array of {} axes; brim computes with up to {}", shape_.size(), kMaxRank));
  counts_.resize(shape_.size());
  for (std::size_t axis = 0; axis < shape_.size(); ++axis) {
    if (shape_[axis] < 0) throw UsageError(fmt::format("negative extent in shape {}", to_string(shape_)));
    if (chunk_shape_[axis] < 1)
      throw UsageError(fmt::format("chunks {} have an extent below 1", to_string(chunk_shape_)));
    chunk_shape_[axis] = std::min(chunk_shape_[axis], std::max<std::int64_t>(1, shape_[axis]));
    counts_[axis] = shape_[axis] == 0 ? 0 : (shape_[axis] - 1) / chunk_shape_[axis] + 1;
  }
  element_count(shape_);  // refuses what cannot be counted
  chunk_count_ = element_count(counts_);
}

Shape ChunkGrid::coordinates(std::int64_t index) const {
  check(index >= 0 && index < chunk_count_, "a chunk number out of range");
  Shape position(counts_.size());
  for (std::size_t axis = counts_.size(); axis-- > 0;) {
    position[axis] = index % counts_[axis];
    index /= counts_[axis];
  }
  return position;
}

std::int64_t ChunkGrid::index(const Shape& coordinates) const {
  check(coordinates.size() == counts_.size(), "chunk coordinates of another rank");
  std::int64_t number = 0;
  for (std::size_t axis = 0; axis < counts_.size(); ++axis) number = number * counts_[axis] + coordinates[axis];
  return number;
}

Box ChunkGrid::box(std::int64_t index) const {
  Box region{coordinates(index), {}};
  region.stop.resize(region.start.size());
  for (std::size_t axis = 0; axis < counts_.size(); ++axis) {
    region.start[axis] *= chunk_shape_[axis];
    region.stop[axis] = std::min(shape_[axis], region.start[axis] + chunk_shape_[axis]);
  }
  return region;
}

Box ChunkGrid::chunks_touching(const Box& region) const {
  check(region.rank() == rank(), "a region of another rank");
  Box chunks{Shape(counts_.size()), Shape(counts_.size())};
  if (region.empty()) return chunks;
  for (std::size_t axis = 0; axis < counts_.size(); ++axis) {
    chunks.start[axis] = region.start[axis] / chunk_shape_[axis];
    chunks.stop[axis] = (region.stop[axis] - 1) / chunk_shape_[axis] + 1;
  }
  return chunks;
}

}  // namespace brim
