#include "worker/lent_blocks.h"

#include "core/check.h"

namespace brim::worker {

LentBlocks::LentBlocks(const shm::ArenaView* view, const pool::Run& task) : view_(view), task_(task) {
  const auto memory = [view](const shm::Block& block) -> std::span<std::byte> {
    if (block.size == Bytes(0)) return {};
    check(view != nullptr, "a task with blocks, and no arena");
    return view->span(block);
  };
  inputs_.reserve(task.inputs.size());
  for (const auto& block : task.inputs) inputs_.push_back(memory(block));
  output_ = memory(task.output);
}

LentBlocks::~LentBlocks() {
  if (view_ == nullptr) return;
  for (const auto& block : task_.inputs) view_->revoke(block);
  view_->revoke(task_.output);
}

}  // namespace brim::worker
