#pragma once

#include "brim/shape.h"

namespace brim {

/// A regular grid of chunks over an array: every chunk has chunk_shape, except that those at the upper edges are cut
/// off by the array's shape (ragged). Chunks are numbered in C order (last axis fastest).
///
/// Invariants: shape and chunk_shape have equal rank, 1 <= chunk_shape[i]; a chunk larger than the dimension is
/// allowed at construction and is cut to it, so that afterwards chunk_shape[i] <= max(1, shape[i]).
/// An array with a zero extent has no chunks; a 0-d array has exactly one.
class ChunkGrid {
 public:
  ChunkGrid() = default;
  /// Throws UsageError when ranks differ or an extent is out of range.
  ChunkGrid(Shape shape, Shape chunk_shape);

  const Shape& shape() const { return shape_; }
  const Shape& chunk_shape() const { return chunk_shape_; }
  int rank() const { return static_cast<int>(shape_.size()); }
  /// Chunks along every axis.
  const Shape& counts() const { return counts_; }
  /// Chunks in all.
  std::int64_t chunk_count() const { return chunk_count_; }

  /// Position in the grid of chunk number `index`.
  Shape coordinates(std::int64_t index) const;
  /// Inverse of coordinates().
  std::int64_t index(const Shape& coordinates) const;
  /// The region that chunk number `index` covers.
  Box box(std::int64_t index) const;
  /// The half-open range of chunk coordinates that meet `region` (which lies inside the shape); empty for an empty
  /// region.
  Box chunks_touching(const Box& region) const;

  friend bool operator==(const ChunkGrid&, const ChunkGrid&) = default;

 private:
  Shape shape_;
  Shape chunk_shape_;
  Shape counts_;
  std::int64_t chunk_count_ = 1;
};

}  // namespace brim
