#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "schedule/task_graph.h"

namespace brim::schedule {

/// A graph whose ops are told by functions, for many tasks.
class ImplicitGraph : public TaskGraph {
 public:
  struct Op {
    std::int64_t count = 0;
    TaskMemory memory;
    /// What task i depends on, and what depends on task i.
    std::function<void(std::int64_t, const VisitTask&)> dependencies = {};
    std::function<void(std::int64_t, const VisitTask&)> dependents = {};
    std::int64_t width_limit = 0;
  };

  ImplicitGraph(std::vector<Op> ops, Bytes sequential_peak) : ops_(std::move(ops)), peak_(sequential_peak) {}

  OpIndex op_count() const override { return static_cast<OpIndex>(ops_.size()); }
  std::int64_t task_count(OpIndex op) const override { return at(op).count; }
  TaskMemory memory(TaskId task) const override { return at(task.op).memory; }
  bool has_dependencies(OpIndex op) const override { return at(op).dependencies != nullptr; }
  bool has_dependents(OpIndex op) const override { return at(op).dependents != nullptr; }
  void visit_dependencies(TaskId task, const VisitTask& visit) const override {
    if (at(task.op).dependencies) at(task.op).dependencies(task.index, visit);
  }
  void visit_dependents(TaskId task, const VisitTask& visit) const override {
    if (at(task.op).dependents) at(task.op).dependents(task.index, visit);
  }
  std::int64_t width_limit(OpIndex op) const override { return at(op).width_limit; }
  Bytes sequential_peak() const override { return peak_; }

 private:
  const Op& at(OpIndex op) const { return ops_[static_cast<std::size_t>(op)]; }

  std::vector<Op> ops_;
  Bytes peak_;
};

/// Op 0 makes `fan_in` chunks for each of `count` tasks of op 1.
inline ImplicitGraph fan_in_graph(std::int64_t count, std::int64_t fan_in, TaskMemory producer, TaskMemory consumer) {
  ImplicitGraph::Op from{count * fan_in, producer};
  from.dependents = [=](std::int64_t i, const VisitTask& visit) { visit({1, i / fan_in}); };
  ImplicitGraph::Op to{count, consumer};
  to.dependencies = [=](std::int64_t i, const VisitTask& visit) {
    for (std::int64_t j = 0; j < fan_in; ++j) visit({0, i * fan_in + j});
  };
  const auto kept = producer.resident * fan_in;
  const auto peak = std::max(kept + producer.temporary, kept + consumer.temporary + consumer.resident);
  return {{from, to}, peak};
}

}  // namespace brim::schedule
