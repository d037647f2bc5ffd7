#pragma once

#include <optional>
#include <vector>

#include "brim/chunk_grid.h"
#include "core/archive.h"
#include "kernels/view.h"

namespace brim::ops {

/// Where one axis of an input is read: at start + step * (index of the loop axis), or always at `start` when
/// loop_axis is negative (an integer index, or a broadcast extent of 1).
struct AxisRef {
  std::int32_t loop_axis = -1;
  std::int64_t start = 0;
  std::int64_t step = 1;

  friend bool operator==(const AxisRef&, const AxisRef&) = default;
  friend auto operator<=>(const AxisRef&, const AxisRef&) = default;
};

/// How an op's loop reads one of its inputs: an entry per axis of the input. Loop axes that no entry names repeat the
/// input (broadcast). Slices, integer indices, new axes and broadcasting all compose into this one form.
using IndexMap = std::vector<AxisRef>;

/// Every axis at the loop's own index.
IndexMap identity_map(int rank);

/// The hull of what the loop over `box` reads; empty when the box is.
Box input_region(const IndexMap& map, const Box& box);

/// The loop's view of an input of which `region` lies C-contiguous at `data`, for the loop over `box`.
kernels::ConstView input_view(const IndexMap& map, const Box& box, const Box& region, std::int64_t item_size,
                              const std::byte* data);

/// The half-open range of chunk coordinates of `loop` whose input_region meets `part` of the input; nothing when
/// there is none. The inverse of input_region, as dependency tracking needs it.
std::optional<Box> find_loop_chunks_reading(const IndexMap& map, const ChunkGrid& loop, const Box& part);

/// True when no chunk of `loop` reads from more than one chunk of `input`: its view needs no gathering.
bool reads_single_chunks(const IndexMap& map, const ChunkGrid& loop, const ChunkGrid& input);

void put(ArchiveWriter& archive, const IndexMap& map);
IndexMap get_index_map(ArchiveReader& archive);

/// Calls visit(linear chunk number) for every chunk of `grid` in the coordinate range, in C order.
template <typename Visit>
void for_each_chunk(const ChunkGrid& grid, const Box& range, Visit visit) {
  if (range.empty()) return;
  Shape at = range.start;
  for (;;) {
    visit(grid.index(at));
    auto axis = static_cast<std::ptrdiff_t>(at.size()) - 1;
    for (; axis >= 0; --axis) {
      const auto a = static_cast<std::size_t>(axis);
      if (++at[a] < range.stop[a]) break;
      at[a] = range.start[a];
    }
    if (axis < 0) return;
  }
}

}  // namespace brim::ops
