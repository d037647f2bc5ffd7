#include "schedule/sequential_walk.h"

namespace brim::schedule {

std::optional<TaskId> SequentialWalk::find_current(const TaskBits& passed) {
  while (!exhausted_) {
    if (path_.empty()) {
      if (next_index_ == (*facts_)[static_cast<std::size_t>(entry_)].task_count) {
        exhausted_ = true;
      } else {
        const TaskId task{entry_, next_index_++};
        if (!passed.test(task)) push(task);
      }
    } else if (passed.test(path_.back().task)) {
      pop();
    } else if (!descend(passed)) {
      return path_.back().task;
    }
  }
  return std::nullopt;
}

std::span<const TaskId> SequentialWalk::dependencies() const {
  if (path_.empty()) return {};
  return std::span(dependencies_).subspan(path_.back().first);
}

/// Steps to the next dependency of the last step that was not passed. False when there is none.
bool SequentialWalk::descend(const TaskBits& passed) {
  auto& step = path_.back();
  while (step.next < dependencies_.size()) {
    const TaskId dependency = dependencies_[step.next++];
    if (passed.test(dependency)) continue;
    push(dependency);
    return true;
  }
  return false;
}

void SequentialWalk::push(TaskId task) {
  path_.push_back({task, dependencies_.size(), dependencies_.size()});
  if ((*facts_)[static_cast<std::size_t>(task.op)].has_dependencies)
    graph_->visit_dependencies(task, [this](TaskId dependency) { dependencies_.push_back(dependency); });
}

void SequentialWalk::pop() {
  dependencies_.resize(path_.back().first);
  path_.pop_back();
}

}  // namespace brim::schedule
