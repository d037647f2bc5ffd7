#include "core/reduction.h"

#include <fmt/format.h>

#include <algorithm>

#include "array/graph.h"
#include "brim/error.h"

namespace brim {
namespace {

std::vector<bool> reduced_axes(const Array& x, const ReduceOptions& options, std::string_view what) {
  const auto rank = static_cast<std::size_t>(x.ndim());
  if (!options.axis) return std::vector<bool>(rank, true);
  std::vector<bool> reduced(rank, false);
  for (const int axis : *options.axis) {
    const int place = axis < 0 ? axis + x.ndim() : axis;
    if (place < 0 || place >= x.ndim())
      throw UsageError(fmt::format("{}: axis {} of an array with {} axes", what, axis, x.ndim()),
                       fmt::format("the shape is {}; axes count from 0, or from -1 backwards", to_string(x.shape())));
    if (reduced[static_cast<std::size_t>(place)])
      throw UsageError(fmt::format("{}: axis {} is named twice", what, axis));
    reduced[static_cast<std::size_t>(place)] = true;
  }
  return reduced;
}

Array reduce(Reduction reduction, const Array& x, const ReduceOptions& options, std::string_view what) {
  const auto reduced = reduced_axes(x, options, what);
  const auto dtype = reduced_dtype(reduction, x.dtype());
  if (std::find(reduced.begin(), reduced.end(), true) == reduced.end()) return astype(x, dtype);
  Shape shape;
  Shape chunk;
  bool empty = false;
  for (std::size_t axis = 0; axis < reduced.size(); ++axis) {
    empty = empty || (reduced[axis] && x.shape()[axis] == 0);
    if (reduced[axis] && !options.keepdims) continue;
    shape.push_back(reduced[axis] ? 1 : x.shape()[axis]);
    chunk.push_back(reduced[axis] ? 1 : x.grid().chunk_shape()[axis]);
  }
  if (empty && (reduction == Reduction::kMin || reduction == Reduction::kMax) && element_count(shape) > 0)
    throw UsageError(fmt::format("{} over no elements: the shape is {}", what, to_string(x.shape())),
                     "it has no neutral value; leave empty axes out");
  return make_array(dtype, ChunkGrid(shape, chunk), {x.node()}, ReduceNode{reduction, reduced, options.keepdims});
}

}  // namespace

Array sum(const Array& x, const ReduceOptions& options) { return reduce(Reduction::kSum, x, options, "sum"); }
Array mean(const Array& x, const ReduceOptions& options) { return reduce(Reduction::kMean, x, options, "mean"); }
Array min(const Array& x, const ReduceOptions& options) { return reduce(Reduction::kMin, x, options, "min"); }
Array max(const Array& x, const ReduceOptions& options) { return reduce(Reduction::kMax, x, options, "max"); }

}  // namespace brim
