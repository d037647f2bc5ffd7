#pragma once

#include <optional>
#include <vector>

#include "schedule/sequential_walk.h"

namespace brim::schedule {

/// Follows the sequential order through what is done: the lead is the first task in that order that is not done. Its
/// dependencies are done, so it can always run as far as dependencies go. Moves forward only.
class Lead {
 public:
  /// Borrows both.
  Lead(const TaskGraph& graph, const std::vector<OpFacts>& facts);
  Lead(const TaskGraph& graph, std::vector<OpFacts>&& facts) = delete;

  /// Moves on over done tasks and tells of each of them, in order. Amortised cost: one visit of every dependency.
  template <typename OnPass>
  void advance(const TaskBits& done, OnPass on_pass) {
    while (const auto task = find_next()) {
      if (!done.test(*task)) break;
      passed_.set(*task);
      on_pass(*task);
    }
  }
  /// Nothing when all is done.
  const std::optional<TaskId>& task() const { return task_; }
  bool is(TaskId task) const { return task_ == task; }

 private:
  const std::optional<TaskId>& find_next();

  std::vector<SequentialWalk> walks_;
  std::size_t current_ = 0;
  TaskBits passed_;
  std::optional<TaskId> task_;
};

}  // namespace brim::schedule
