#include "plan/need.h"

#include <algorithm>

#include "ops/reading.h"

namespace brim::planning {
namespace {

using ops::PhysicalOp;
using ops::Reading;

std::size_t producer(const Reading& reading) { return static_cast<std::size_t>(reading.from->op); }

}  // namespace

std::vector<bool> held_whole(const std::vector<PhysicalOp>& ops) {
  std::vector<int> reader_count(ops.size(), 0);
  std::vector<bool> shared(ops.size(), false);
  for (const auto& op : ops)
    for (const auto& reading : ops::readings(op))
      if (++reader_count[producer(reading)] > 1 || reading.shared) shared[producer(reading)] = true;
  return shared;
}

SequentialNeed sequential_need(const std::vector<PhysicalOp>& ops, const std::vector<ops::OpModel>& models) {
  const auto shared = held_whole(ops);
  std::vector<std::vector<Reading>> reads;
  reads.reserve(ops.size());
  for (const auto& op : ops) reads.push_back(ops::readings(op));
  SequentialNeed whole;
  std::vector<Bytes> need(ops.size());
  std::vector<Bytes> kept(ops.size());
  Bytes kept_shared;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const auto memory = models[i].largest();
    if (shared[i]) kept_shared += memory.resident * ops[i].task_count();
    Bytes inputs;
    for (const auto& reading : reads[i])
      if (const auto p = producer(reading); !shared[p])
        inputs += models[p].largest().resident * reading.chunks_per_task;
    need[i] = inputs + memory.temporary() + memory.resident;
    kept[i] = inputs + memory.resident;
    for (const auto& reading : reads[i]) {
      const auto p = producer(reading);
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
