#include "ops/reading.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace brim::ops {
namespace {

/// Most chunks of `extent`-long axis cut into `chunk` that a run of `length` indices can touch.
std::int64_t chunks_touched(std::int64_t length, std::int64_t chunk, std::int64_t count) {
  return std::min(count, (length + chunk - 2) / chunk + 1);
}

Reading traversal_reading(const ChunkGrid& loop, const OpInput& input, const ResidentInput& from) {
  const auto& grid = from.chunks().grid;
  Reading reading{&from, 1, false};
  std::vector<bool> covered(static_cast<std::size_t>(loop.rank()), false);
  for (std::size_t axis = 0; axis < input.map.size(); ++axis) {
    const auto& ref = input.map[axis];
    if (ref.loop_axis < 0) continue;
    const auto a = static_cast<std::size_t>(ref.loop_axis);
    covered[a] = true;
    const auto chunk = grid.chunk_shape()[axis];
    const auto length = (loop.chunk_shape()[a] - 1) * std::abs(ref.step) + 1;
    const bool aligned = ref.step == 1 && ref.start % chunk == 0 && length % chunk == 0;
    const bool inside = ref.step == 1 && ref.start % chunk == 0 && chunk % length == 0;
    reading.chunks_per_task *= inside    ? 1
                               : aligned ? std::min(grid.counts()[axis], length / chunk)
                                         : chunks_touched(length, chunk, grid.counts()[axis]);
    reading.shared = reading.shared || (!aligned && loop.counts()[a] > 1);
  }
  for (std::size_t a = 0; a < covered.size(); ++a)
    reading.shared = reading.shared || (!covered[a] && loop.counts()[a] > 1);
  return reading;
}

}  // namespace

std::vector<Reading> readings(const PhysicalOp& op) {
  std::vector<Reading> found;
  if (const auto* traversal = std::get_if<Traversal>(&op.detail)) {
    std::vector<std::pair<std::int32_t, const IndexMap*>> seen;
    for (const auto& input : traversal->inputs) {
      const auto* from = std::get_if<ResidentInput>(&input.from);
      if (from == nullptr) continue;
      const bool again = std::any_of(seen.begin(), seen.end(), [&](const auto& other) {
        return other.first == from->op && *other.second == input.map;
      });
      seen.emplace_back(from->op, &input.map);
      if (!again) found.push_back(traversal_reading(traversal->loop, input, *from));
    }
  }
  if (const auto* combine = std::get_if<Combine>(&op.detail)) {
    Reading reading{&std::get<ResidentInput>(combine->partials.from), 1, false};
    for (const auto fold : combine->fan_in) reading.chunks_per_task *= fold;
    found.push_back(reading);
  }
  // Synthetic work keeps nothing: the order of its tasks does not change what it holds.
  return found;
}

}  // namespace brim::ops
