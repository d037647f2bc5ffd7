#include "worker/lent_blocks.h"

#include "core/check.h"

namespace brim::worker {

LentBlocks::LentBlocks(const shm::ArenaView* view, const pool::Run& task) : view_(view), task_(task) {
  if (view_ == nullptr) {
    check(task.inputs.empty() && task.output.size == Bytes(0), "a task with blocks, and no arena");
    return;
  }
  inputs_.reserve(task.inputs.size());
  for (const auto& block : task.inputs) inputs_.push_back(view_->span(block));
  output_ = view_->span(task.output);
}

LentBlocks::~LentBlocks() {
  if (view_ == nullptr) return;
  for (const auto& block : task_.inputs) view_->revoke(block);
  view_->revoke(task_.output);
}

}  // namespace brim::worker
