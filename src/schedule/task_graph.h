#pragma once

#include <cstdint>
#include <functional>

#include "brim/bytes.h"

namespace brim::schedule {

using OpIndex = std::int32_t;

/// One task: number `index` of operation `op`.
struct TaskId {
  OpIndex op = 0;
  std::int64_t index = 0;

  friend auto operator<=>(const TaskId&, const TaskId&) = default;
};

/// What a task holds. `temporary` while it runs; `resident` from its start until every task that depends on it is done.
struct TaskMemory {
  Bytes temporary;
  Bytes resident;
};

using VisitTask = std::function<void(TaskId)>;

/// The work as the scheduler sees it: operations in topological order (an op depends on ops of smaller number only),
/// tasks implicit (D2). Functions are pure: the same call gives the same answer during the whole run.
class TaskGraph {
 public:
  virtual ~TaskGraph() = default;
  virtual OpIndex op_count() const = 0;
  virtual std::int64_t task_count(OpIndex op) const = 0;
  virtual TaskMemory memory(TaskId task) const = 0;
  /// True when some task of this op depends on other tasks; false promises that none does.
  virtual bool has_dependencies(OpIndex op) const = 0;
  /// True when some task depends on tasks of this op; ops without are the roots of the sequential order.
  virtual bool has_dependents(OpIndex op) const = 0;
  /// Every task that `task` waits for, each once, in a fixed order.
  virtual void visit_dependencies(TaskId task, const VisitTask& visit) const = 0;
  /// Every task that waits for `task`, each once.
  virtual void visit_dependents(TaskId task, const VisitTask& visit) const = 0;
  /// Most tasks of this op at once, 0 for no limit beyond memory and workers.
  virtual std::int64_t width_limit(OpIndex op) const = 0;
  /// Most threads that a task of this op can use; its memory holds for as many.
  virtual std::int32_t thread_limit(OpIndex /*op*/) const { return 1; }
  /// An upper bound of what the sequential order holds at once (temporary + resident), computed at planning: roots in
  /// order, each preceded depth first by what it depends on, one task at a time.
  virtual Bytes sequential_peak() const = 0;
};

}  // namespace brim::schedule
