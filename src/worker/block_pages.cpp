#include "worker/block_pages.h"

namespace brim::worker {
namespace {

/// Fewer pages are as quick to fault in.
constexpr Bytes kWorthMapping = kibibytes(64);
/// More faults than a task takes for other reasons.
constexpr std::int64_t kManyFaults = 16;
constexpr std::size_t kRemembered = 100'000;

}  // namespace

bool BlockPages::prepare(const pool::Run& task) {
  mapped_now_ = false;
  for (const auto& block : task.inputs) prepare(block, false);
  prepare(task.output, true);
  return mapped_now_;
}

void BlockPages::prepare(const shm::Block& block, bool for_writing) {
  if (block.size < kWorthMapping) return;
  if (mapped_.size() > kRemembered) mapped_.clear();
  if (!mapped_.insert(block.offset).second) return;
  view_.populate(block, for_writing);
  mapped_now_ = true;
}

void BlockPages::on_task_end(const pool::Run& task, std::int64_t minor_faults) {
  if (mapped_now_ || minor_faults < kManyFaults) return;
  for (const auto& block : task.inputs) mapped_.erase(block.offset);
  mapped_.erase(task.output.offset);
}

}  // namespace brim::worker
