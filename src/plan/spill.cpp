#include "plan/spill.h"

#include <algorithm>

#include "plan/need.h"
#include "storage/scratch_blocks.h"

namespace brim::planning {
namespace {

/// Smaller arrays stay in memory: what they hold is less than what a reader of their blocks allocates anyway.
constexpr std::int64_t kWorthSpilling = 1 << 20;

void tell_reader(ops::OpInput& input, const std::vector<ops::PhysicalOp>& ops) {
  if (auto* from = std::get_if<ops::ResidentInput>(&input.from))
    from->spill = ops[static_cast<std::size_t>(from->op)].spill;
}

}  // namespace

void spill_held_arrays(std::vector<ops::PhysicalOp>& ops) {
  const auto held = held_whole(ops);
  std::int64_t end = 0;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    auto& op = ops[i];
    // Producers come before their readers.
    if (auto* traversal = std::get_if<ops::Traversal>(&op.detail))
      for (auto& input : traversal->inputs) tell_reader(input, ops);
    if (auto* combine = std::get_if<ops::Combine>(&op.detail)) tell_reader(combine->partials, ops);
    const auto tasks = op.task_count();
    if (!held[i] || tasks == 0) continue;
    const auto block = ops::block_size(op.block(), 0).count();
    if (block * tasks < kWorthSpilling) continue;
    op.spill = ops::Spill{end, storage::ScratchBlocks::distance(block)};
    end += op.spill->distance * tasks;
  }
}

Bytes scratch_file_size(const std::vector<ops::PhysicalOp>& ops) {
  std::int64_t end = 0;
  for (const auto& op : ops)
    if (op.spill) end = std::max(end, op.spill->start + op.spill->distance * op.task_count());
  return Bytes(end);
}

}  // namespace brim::planning
