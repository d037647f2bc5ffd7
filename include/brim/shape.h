#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace brim {

/// Extents of an array, one entry per axis; empty for a 0-d array. Entries are >= 0 (elements, not bytes).
using Shape = std::vector<std::int64_t>;

/// The highest rank brim computes with.
inline constexpr int kMaxRank = 16;

/// Number of elements: the product of the extents, 1 for a 0-d array. Throws UsageError when it passes 2^62.
std::int64_t element_count(const Shape& shape);

/// "(12, 90, 180)", "(12,)" and "()" as Python writes tuples.
std::string to_string(const Shape& shape);

/// The shape that NumPy's broadcasting gives; throws UsageError naming both shapes when they do not broadcast.
Shape broadcast_shapes(const Shape& a, const Shape& b);

/// A half-open region of index space: start[i] <= index[i] < stop[i] on every axis.
struct Box {
  Shape start;
  Shape stop;

  friend bool operator==(const Box&, const Box&) = default;
  int rank() const { return static_cast<int>(start.size()); }
  /// stop - start.
  Shape shape() const;
  bool empty() const;
};

/// The common part of two boxes of equal rank; empty (stop == start on some axis) when they do not meet.
Box intersect(const Box& a, const Box& b);
/// "[0:12, 0:90, 90:180]".
std::string to_string(const Box& box);

}  // namespace brim
