#include "runtime/plan_graph.h"

namespace brim::runtime {
namespace {

std::size_t at(schedule::OpIndex op) { return static_cast<std::size_t>(op); }

}  // namespace

PlanGraph::PlanGraph(const PhysicalPlan& plan) : plan_(plan), consumers_(plan.ops.size()) {
  for (std::size_t i = 0; i < plan.ops.size(); ++i)
    for (const auto producer : ops::producers(plan.ops[i]))
      consumers_[at(producer)].push_back(static_cast<std::int32_t>(i));
}

schedule::OpIndex PlanGraph::op_count() const { return static_cast<schedule::OpIndex>(plan_.ops.size()); }

std::int64_t PlanGraph::task_count(schedule::OpIndex op) const { return plan_.ops[at(op)].task_count(); }

schedule::TaskMemory PlanGraph::memory(schedule::TaskId task) const {
  const auto memory = plan_.models[at(task.op)].task(task.index);
  return {memory.temporary(), memory.resident};
}

bool PlanGraph::has_dependencies(schedule::OpIndex op) const {
  // An op over an axis without elements has a producer without tasks: nothing would ever tell it to start.
  for (const auto producer : ops::producers(plan_.ops[at(op)]))
    if (task_count(producer) > 0) return true;
  return false;
}

bool PlanGraph::has_dependents(schedule::OpIndex op) const { return !consumers_[at(op)].empty(); }

void PlanGraph::visit_dependencies(schedule::TaskId task, const schedule::VisitTask& visit) const {
  for (const auto& dependency : ops::dependencies(plan_.ops[at(task.op)], task.index))
    visit({dependency.op, dependency.task});
}

void PlanGraph::visit_dependents(schedule::TaskId task, const schedule::VisitTask& visit) const {
  for (const auto consumer : consumers_[at(task.op)])
    for (const auto index : ops::dependents(plan_.ops[at(consumer)], task.op, task.index)) visit({consumer, index});
}

std::int64_t PlanGraph::width_limit(schedule::OpIndex) const { return 0; }

std::int32_t PlanGraph::thread_limit(schedule::OpIndex op) const { return plan_.ops[at(op)].threads; }

Bytes PlanGraph::sequential_peak() const { return plan_.sequential_peak; }

}  // namespace brim::runtime
