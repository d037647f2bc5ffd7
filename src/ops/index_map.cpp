#include "ops/index_map.h"

#include <algorithm>
namespace brim::ops {
namespace {

struct Interval {
  std::int64_t start;
  std::int64_t stop;
};

/// The input indices that one axis entry reads for loop indices [start, stop).
Interval axis_region(const AxisRef& ref, std::int64_t start, std::int64_t stop) {
  const auto first = ref.start + ref.step * start;
  const auto last = ref.start + ref.step * (stop - 1);
  return {std::min(first, last), std::max(first, last) + 1};
}

/// The chunks along one loop axis whose axis_region meets `part`. The regions move monotonically with the chunk
/// number, upwards or downwards by the sign of the step, so both ends are found by bisection.
Interval chunks_meeting(const AxisRef& ref, std::int64_t extent, std::int64_t chunk, std::int64_t count,
                        Interval part) {
  const auto region = [&](std::int64_t k) { return axis_region(ref, k * chunk, std::min(extent, (k + 1) * chunk)); };
  const auto first_where = [&](auto holds) {
    std::int64_t low = 0;
    std::int64_t high = count;
    while (low < high) {
      const auto middle = low + (high - low) / 2;
      if (holds(region(middle)))
        high = middle;
      else
        low = middle + 1;
    }
    return low;
  };
  if (ref.step > 0)
    return {first_where([&](Interval r) { return r.stop > part.start; }),
            first_where([&](Interval r) { return r.start >= part.stop; })};
  return {first_where([&](Interval r) { return r.start < part.stop; }),
          first_where([&](Interval r) { return r.stop <= part.start; })};
}

}  // namespace

IndexMap identity_map(int rank) {
  IndexMap map(static_cast<std::size_t>(rank));
  for (int axis = 0; axis < rank; ++axis) map[static_cast<std::size_t>(axis)] = {axis, 0, 1};
  return map;
}

Box input_region(const IndexMap& map, const Box& box) {
  Box region{Shape(map.size()), Shape(map.size())};
  if (box.empty()) return region;
  for (std::size_t axis = 0; axis < map.size(); ++axis) {
    const auto& ref = map[axis];
    Interval range{ref.start, ref.start + 1};
    if (ref.loop_axis >= 0) {
      const auto loop = static_cast<std::size_t>(ref.loop_axis);
      range = axis_region(ref, box.start[loop], box.stop[loop]);
    }
    region.start[axis] = range.start;
    region.stop[axis] = range.stop;
  }
  return region;
}

kernels::ConstView input_view(const IndexMap& map, const Box& box, const Box& region, std::int64_t item_size,
                              const std::byte* data) {
  const auto strides = kernels::contiguous_strides(region.shape(), item_size);
  kernels::ConstView view{data, {}};
  for (std::size_t axis = 0; axis < map.size(); ++axis) {
    const auto& ref = map[axis];
    auto first = ref.start;
    if (ref.loop_axis >= 0) {
      const auto loop = static_cast<std::size_t>(ref.loop_axis);
      first += ref.step * box.start[loop];
      view.strides[loop] += ref.step * strides[axis];
    }
    view.data += (first - region.start[axis]) * strides[axis];
  }
  return view;
}

std::optional<Box> find_loop_chunks_reading(const IndexMap& map, const ChunkGrid& loop, const Box& part) {
  const auto rank = static_cast<std::size_t>(loop.rank());
  Box chunks{Shape(rank, 0), loop.counts()};
  if (part.empty()) return std::nullopt;
  for (std::size_t axis = 0; axis < map.size(); ++axis) {
    const auto& ref = map[axis];
    const Interval wanted{part.start[axis], part.stop[axis]};
    if (ref.loop_axis < 0) {
      if (ref.start < wanted.start || ref.start >= wanted.stop) return std::nullopt;
      continue;
    }
    const auto a = static_cast<std::size_t>(ref.loop_axis);
    const auto range = chunks_meeting(ref, loop.shape()[a], loop.chunk_shape()[a], loop.counts()[a], wanted);
    chunks.start[a] = std::max(chunks.start[a], range.start);
    chunks.stop[a] = std::min(chunks.stop[a], range.stop);
    if (chunks.start[a] >= chunks.stop[a]) return std::nullopt;
  }
  if (loop.chunk_count() == 0) return std::nullopt;
  return chunks;
}

bool reads_single_chunks(const IndexMap& map, const ChunkGrid& loop, const ChunkGrid& input) {
  for (std::size_t axis = 0; axis < map.size(); ++axis) {
    const auto& ref = map[axis];
    if (ref.loop_axis < 0 || input.counts()[axis] <= 1) continue;
    const auto chunk = input.chunk_shape()[axis];
    const auto loop_chunk = loop.chunk_shape()[static_cast<std::size_t>(ref.loop_axis)];
    if (ref.step != 1 || ref.start % chunk != 0 || chunk % loop_chunk != 0) return false;
  }
  return true;
}

void put(ArchiveWriter& archive, const IndexMap& map) {
  archive.put_all(map, [](ArchiveWriter& out, const AxisRef& ref) {
    out.put(ref.loop_axis);
    out.put(ref.start);
    out.put(ref.step);
  });
}

IndexMap get_index_map(ArchiveReader& archive) {
  return archive.get_all<AxisRef>([](ArchiveReader& in) {
    AxisRef ref;
    ref.loop_axis = in.get<std::int32_t>();
    ref.start = in.get<std::int64_t>();
    ref.step = in.get<std::int64_t>();
    return ref;
  });
}

}  // namespace brim::ops
