#include "plan/need.h"

#include <algorithm>
#include <map>
#include <optional>

namespace brim::planning {
namespace {

using ops::OpInput;
using ops::PhysicalOp;
using ops::ResidentInput;

struct Reading {
  std::int32_t producer = 0;
  std::int64_t chunks_per_task = 0;  ///< most chunks that one task reads
  bool shared = false;               ///< some chunk may be read by more than one task
};

/// Most chunks of `extent`-long axis cut into `chunk` that a run of `length` indices can touch.
std::int64_t chunks_touched(std::int64_t length, std::int64_t chunk, std::int64_t count) {
  return std::min(count, (length + chunk - 2) / chunk + 1);
}

Reading traversal_reading(const ChunkGrid& loop, const OpInput& input, const ResidentInput& from) {
  const auto& grid = from.chunks().grid;
  Reading reading{from.op, 1, false};
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

std::vector<Reading> readings(const PhysicalOp& op) {
  std::vector<Reading> found;
  if (const auto* traversal = std::get_if<ops::Traversal>(&op.detail))
    for (const auto& input : traversal->inputs)
      if (const auto* from = std::get_if<ResidentInput>(&input.from))
        found.push_back(traversal_reading(traversal->loop, input, *from));
  if (const auto* combine = std::get_if<ops::Combine>(&op.detail)) {
    Reading reading{std::get<ResidentInput>(combine->partials.from).op, 1, false};
    for (const auto fold : combine->fan_in) reading.chunks_per_task *= fold;
    found.push_back(reading);
  }
  // Synthetic work keeps nothing: the order of its tasks does not change what it holds.
  return found;
}

}  // namespace

SequentialNeed sequential_need(const std::vector<PhysicalOp>& ops, const std::vector<ops::OpModel>& models) {
  std::vector<std::vector<Reading>> reads;
  std::map<std::int32_t, int> reader_count;
  std::vector<bool> shared(ops.size(), false);
  for (const auto& op : ops) {
    reads.push_back(readings(op));
    for (const auto& reading : reads.back())
      if (++reader_count[reading.producer] > 1 || reading.shared)
        shared[static_cast<std::size_t>(reading.producer)] = true;
  }
  SequentialNeed whole;
  std::vector<Bytes> need(ops.size());
  std::vector<Bytes> kept(ops.size());
  Bytes kept_shared;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const auto memory = models[i].largest();
    if (shared[i]) kept_shared += memory.resident * ops[i].task_count();
    Bytes inputs;
    for (const auto& reading : reads[i])
      if (const auto p = static_cast<std::size_t>(reading.producer); !shared[p])
        inputs += models[p].largest().resident * reading.chunks_per_task;
    need[i] = inputs + memory.temporary() + memory.resident;
    kept[i] = inputs + memory.resident;
    for (const auto& reading : reads[i]) {
      const auto p = static_cast<std::size_t>(reading.producer);
      const auto own = shared[p] ? Bytes{} : models[p].largest().resident;
      need[i] = std::max(need[i], inputs - own + need[p]);
      kept[i] = std::max(kept[i], inputs - own + kept[p]);
    }
    if (need[i] > whole.peak) whole.op = i;
    whole.peak = std::max(whole.peak, need[i]);
    whole.resident = std::max(whole.resident, kept[i]);
  }
  whole.peak += kept_shared;
  whole.resident += kept_shared;
  return whole;
}

}  // namespace brim::planning
