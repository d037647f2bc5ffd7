#include "runtime/finished_tasks.h"

#include <algorithm>

#include "schedule/op_facts.h"

namespace brim::runtime {

bool leaves_result(const ops::PhysicalOp& op) {
  return op.outputs.empty() || std::any_of(op.outputs.begin(), op.outputs.end(),
                                           [](const ops::OpOutput& output) { return output.target.has_value(); });
}

std::vector<schedule::TaskId> tasks_to_skip(const PhysicalPlan& plan, const schedule::TaskGraph& graph,
                                            const std::vector<storage::FinishedTask>& finished) {
  if (finished.empty()) return {};
  const auto facts = schedule::facts_of(graph);
  schedule::TaskBits in_file(facts);
  schedule::TaskBits skipped(facts);
  for (const auto& task : finished)
    if (task.op >= 0 && task.op < graph.op_count() && task.index >= 0 && task.index < graph.task_count(task.op))
      in_file.set({task.op, task.index});
  std::vector<schedule::TaskId> tasks;
  // Consumers have larger numbers: backwards, so that what needs a task is decided before it.
  for (auto op = graph.op_count() - 1; op >= 0; --op) {
    const bool has_result = leaves_result(plan.ops[static_cast<std::size_t>(op)]);
    for (std::int64_t index = 0; index < graph.task_count(op); ++index) {
      const schedule::TaskId task{op, index};
      bool needed = has_result && !in_file.test(task);
      bool has_readers = false;
      graph.visit_dependents(task, [&](schedule::TaskId reader) {
        has_readers = true;
        needed = needed || !skipped.test(reader);
      });
      if (needed || (!has_result && !has_readers)) continue;
      skipped.set(task);
      tasks.push_back(task);
    }
  }
  return tasks;
}

}  // namespace brim::runtime
