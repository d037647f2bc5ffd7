#include "worker/block_pages.h"

namespace brim::worker {
namespace {

/// Fewer pages are as quick to fault in.
constexpr Bytes kWorthMapping = kibibytes(64);
constexpr std::size_t kRemembered = 100'000;

}  // namespace

bool BlockPages::prepare(const pool::Run& task) {
  bool any = prepare(task.output, true);
  for (const auto& block : task.inputs) any = prepare(block, false) || any;
  return any;
}

bool BlockPages::prepare(const shm::Block& block, bool for_writing) {
  if (block.size < kWorthMapping) return false;
  if (mapped_.size() > kRemembered) mapped_.clear();
  auto& generation = mapped_[block.offset];
  if (generation == block.generation) return false;
  generation = block.generation;
  view_.populate(block, for_writing);
  return true;
}

}  // namespace brim::worker
