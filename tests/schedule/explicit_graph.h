#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "schedule/ledger.h"
#include "schedule/op_facts.h"
#include "schedule/task_graph.h"

namespace brim::schedule {

/// A graph whose every task is written down. The sequential peak is found by going through the sequential order.
class ExplicitGraph : public TaskGraph {
 public:
  OpIndex add_op(std::vector<TaskMemory> tasks, std::int64_t width_limit = 0) {
    ops_.push_back({});
    for (const auto& memory : tasks) ops_.back().tasks.push_back({memory, {}, {}});
    ops_.back().width_limit = width_limit;
    return static_cast<OpIndex>(ops_.size() - 1);
  }
  OpIndex add_op(std::int64_t count, Bytes temporary, Bytes resident = {}) {
    return add_op(std::vector<TaskMemory>(static_cast<std::size_t>(count), {temporary, resident}));
  }
  void set_width_limit(OpIndex op, std::int64_t limit) { ops_[index(op)].width_limit = limit; }
  void set_thread_limit(OpIndex op, std::int32_t limit) { ops_[index(op)].thread_limit = limit; }
  void depend(TaskId task, TaskId on) {
    at(task).dependencies.push_back(on);
    at(on).dependents.push_back(task);
    ops_[index(task.op)].has_dependencies = true;
    ops_[index(on.op)].has_dependents = true;
  }
  /// Must be called after the last change.
  void seal() { peak_ = measure_peak(); }

  OpIndex op_count() const override { return static_cast<OpIndex>(ops_.size()); }
  std::int64_t task_count(OpIndex op) const override { return static_cast<std::int64_t>(ops_[index(op)].tasks.size()); }
  TaskMemory memory(TaskId task) const override { return at(task).memory; }
  bool has_dependencies(OpIndex op) const override { return ops_[index(op)].has_dependencies; }
  bool has_dependents(OpIndex op) const override { return ops_[index(op)].has_dependents; }
  void visit_dependencies(TaskId task, const VisitTask& visit) const override {
    for (const auto other : at(task).dependencies) visit(other);
  }
  void visit_dependents(TaskId task, const VisitTask& visit) const override {
    for (const auto other : at(task).dependents) visit(other);
  }
  std::int64_t width_limit(OpIndex op) const override { return ops_[index(op)].width_limit; }
  std::int32_t thread_limit(OpIndex op) const override { return ops_[index(op)].thread_limit; }
  Bytes sequential_peak() const override { return peak_; }

  std::int64_t total() const {
    std::int64_t sum = 0;
    for (const auto& op : ops_) sum += static_cast<std::int64_t>(op.tasks.size());
    return sum;
  }
  /// The sequential order, written down without the code under test.
  std::vector<TaskId> sequential_order() const {
    std::vector<TaskId> order;
    std::set<TaskId> seen;
    for (OpIndex op = 0; op < op_count(); ++op)
      if (!has_dependents(op)) enter(op, order, seen);
    for (OpIndex op = op_count() - 1; op >= 0; --op)
      if (has_dependents(op)) enter(op, order, seen);
    return order;
  }

 private:
  struct Task {
    TaskMemory memory;
    std::vector<TaskId> dependencies;
    std::vector<TaskId> dependents;
  };
  struct Op {
    std::vector<Task> tasks;
    std::int64_t width_limit = 0;
    std::int32_t thread_limit = 1;
    bool has_dependencies = false;
    bool has_dependents = false;
  };
  static std::size_t index(OpIndex op) { return static_cast<std::size_t>(op); }
  const Task& at(TaskId task) const { return ops_[index(task.op)].tasks[static_cast<std::size_t>(task.index)]; }
  Task& at(TaskId task) { return ops_[index(task.op)].tasks[static_cast<std::size_t>(task.index)]; }

  void enter(OpIndex op, std::vector<TaskId>& order, std::set<TaskId>& seen) const {
    for (std::int64_t i = 0; i < task_count(op); ++i) visit_first({op, i}, order, seen);
  }
  void visit_first(TaskId task, std::vector<TaskId>& order, std::set<TaskId>& seen) const {
    if (!seen.insert(task).second) return;
    for (const auto other : at(task).dependencies) visit_first(other, order, seen);
    order.push_back(task);
  }
  Bytes measure_peak() const {
    std::map<TaskId, std::size_t> waiting;
    Bytes held;
    Bytes peak;
    for (const auto task : sequential_order()) {
      const auto resident = charged_block(at(task).memory.resident);
      held += resident;
      peak = std::max(peak, held + at(task).memory.temporary);
      waiting[task] = at(task).dependents.size();
      if (waiting[task] == 0) held -= resident;
      for (const auto other : at(task).dependencies)
        if (--waiting[other] == 0) held -= charged_block(at(other).memory.resident);
    }
    return peak;
  }

  std::vector<Op> ops_;
  Bytes peak_;
};

}  // namespace brim::schedule
