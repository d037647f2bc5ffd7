#include "kernels/copy.h"

#include <algorithm>
#include <cstdlib>

#include "kernels/loop_nest.h"
#include "kernels/strided_run.h"

namespace brim::kernels {
namespace {

constexpr std::size_t kDestination = 0;
constexpr std::size_t kSource = 1;

/// The axis along which the source is closest together, where that is not the destination's: the copy is a
/// transposition then. -1 otherwise.
int find_transposed_axis(const LoopNest& nest) {
  int closest = nest.rank() - 1;
  for (int axis = nest.rank() - 2; axis >= 0; --axis) {
    const std::int64_t stride = std::abs(nest.stride(kSource, axis));
    if (stride != 0 && stride < std::abs(nest.stride(kSource, closest))) closest = axis;
  }
  return closest == nest.rank() - 1 ? -1 : closest;
}

/// Copies the plane of `axis` and the innermost axis in blocks whose lines, of both sides, stay in the cache.
void copy_plane(std::int64_t item_size, const LoopNest& nest, int axis, const std::byte* source,
                std::byte* destination) {
  const std::int64_t block = 256 / item_size;
  const CopyRun copy = copy_run_of(item_size);
  const std::int64_t rows = nest.extent(axis);
  const std::int64_t columns = nest.inner_extent();
  const std::int64_t source_row = nest.stride(kSource, axis);
  const std::int64_t source_column = nest.inner_stride(kSource);
  const std::int64_t destination_row = nest.stride(kDestination, axis);
  const std::int64_t destination_column = nest.inner_stride(kDestination);
  for (std::int64_t row = 0; row < rows; row += block)
    for (std::int64_t column = 0; column < columns; column += block)
      for (std::int64_t i = row; i < std::min(rows, row + block); ++i)
        copy(std::min(block, columns - column), source + i * source_row + column * source_column, source_column,
             destination + i * destination_row + column * destination_column, destination_column);
}

}  // namespace

Strides contiguous_strides(const Shape& shape, std::int64_t item_size) {
  Strides strides{};
  std::int64_t step = item_size;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    strides[axis] = step;
    step *= shape[axis];
  }
  return strides;
}

void copy(std::int64_t item_size, const Shape& shape, ConstView source, View destination) {
  const LoopNest nest(shape, {destination.strides, source.strides});
  if (nest.size() == 0) return;
  const CopyRun run = copy_run_of(item_size);
  const int transposed = find_transposed_axis(nest);
  if (transposed < 0) {
    const std::int64_t length = nest.inner_extent();
    LoopIndex index(nest, 0);
    for (std::int64_t done = 0; done < nest.size(); done += length) {
      run(length, source.data + index.offset(kSource), nest.inner_stride(kSource),
          destination.data + index.offset(kDestination), nest.inner_stride(kDestination));
      index.advance(length);
    }
    return;
  }
  const OuterLoops outer(nest, {transposed, nest.rank() - 1});
  for (std::int64_t i = 0; i < outer.size(); ++i)
    copy_plane(item_size, nest, transposed, source.data + outer.offset(i, kSource),
               destination.data + outer.offset(i, kDestination));
}

}  // namespace brim::kernels
