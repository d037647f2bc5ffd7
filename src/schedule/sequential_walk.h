#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "schedule/op_facts.h"
#include "schedule/task_graph.h"

namespace brim::schedule {

/// Goes through an op's tasks in index order, each preceded depth first by the tasks it depends on: one op's part of
/// the sequential order. Tasks that the caller has passed elsewhere are left out, so several walks can share a graph.
/// Every task is expanded once; memory is that of one depth-first path.
class SequentialWalk {
 public:
  SequentialWalk(const TaskGraph& graph, const std::vector<OpFacts>& facts, OpIndex entry)
      : graph_(&graph), facts_(&facts), entry_(entry) {}

  /// The first task in order that is not in `passed`; all its dependencies are. Nothing at the end.
  std::optional<TaskId> find_current(const TaskBits& passed);
  /// What the task that find_current() gave depends on. Valid until the next call.
  std::span<const TaskId> dependencies() const;
  /// True when find_current() has found the end.
  bool exhausted() const { return exhausted_; }

 private:
  struct Step {
    TaskId task;
    std::size_t first;  ///< its dependencies: from here to the end of dependencies_, while it is the last step
    std::size_t next;   ///< the first of them that was not looked at
  };
  void push(TaskId task);
  void pop();
  bool descend(const TaskBits& passed);

  const TaskGraph* graph_;
  const std::vector<OpFacts>* facts_;
  OpIndex entry_;
  std::int64_t next_index_ = 0;
  bool exhausted_ = false;
  std::vector<Step> path_;
  std::vector<TaskId> dependencies_;
};

}  // namespace brim::schedule
