#include "brim/simulate.h"

#include "brim/error.h"
#include "core/check.h"
#include "runtime/plan_graph.h"
#include "runtime/schedule_options.h"
#include "runtime/task_times.h"
#include "schedule/lower_bound.h"
#include "schedule/simulator.h"

namespace brim {
namespace {

schedule::SimulationOptions simulation_options(const PhysicalPlan& plan, const SimulateOptions& options) {
  schedule::SimulationOptions result;
  result.schedule = runtime::schedule_options(plan);
  result.schedule.extra_threads = options.extra_threads;
  result.schedule.overlap = options.overlap;
  if (options.fixed_workers)
    result.schedule.fixed_pool =
        schedule::FixedPool{static_cast<std::int32_t>(*options.fixed_workers), options.fixed_task_memory};
  result.spawn_seconds = options.worker_spawn_seconds;
  result.message_seconds = options.message_seconds;
  return result;
}

/// Synthetic work tells what it holds in truth; where that is not what it declares, tasks fail for memory as they
/// would.
Bytes true_temporary(const PhysicalPlan& plan, const runtime::PlanGraph& graph, schedule::TaskId task) {
  const auto declared = graph.memory(task).temporary;
  const auto* work = std::get_if<ops::Synthetic>(&plan.ops[static_cast<std::size_t>(task.op)].detail);
  return work == nullptr ? declared : declared - work->memory + work->touched;
}

Simulation summary(const PhysicalPlan& plan, const schedule::SimulationResult& result) {
  Simulation simulation;
  for (std::size_t i = 0; i < plan.ops.size(); ++i)
    simulation.ops.push_back({plan.ops[i].name, plan.ops[i].task_count(), result.widths[i]});
  simulation.makespan_seconds = result.makespan_seconds;
  simulation.memory_time_used = result.memory_time.used(plan.budget, result.makespan_seconds);
  simulation.memory_bound_seconds = result.memory_time.bound_seconds();
  simulation.memory_bound_used = result.memory_time.bound_used(plan.budget);
  simulation.peak_held = result.statistics.ledger_peak;
  simulation.tasks = result.tasks_run;
  simulation.workers_peak = result.statistics.workers_peak;
  simulation.workers_started = result.statistics.workers_started;
  simulation.retries = result.statistics.tasks_retried;
  return simulation;
}

}  // namespace

LowerBound lower_bound(const Plan& plan, const TaskTimes& times) {
  const runtime::PlanGraph graph(plan.physical());
  return schedule::lower_bound(graph, runtime::schedule_options(plan.physical()),
                               runtime::work_of(plan.physical(), graph, times));
}

Simulation simulate(const Plan& plan, const SimulateOptions& options) {
  const auto& physical = plan.physical();
  const runtime::PlanGraph graph(physical);
  auto simulation = simulation_options(physical, options);
  const auto times = options.times ? *options.times : estimate_times(plan);
  simulation.start_seconds = times.worker_start_seconds;
  simulation.work = runtime::work_of(physical, graph, times);
  simulation.true_temporary = [&](schedule::TaskId task) { return true_temporary(physical, graph, task); };
  const auto result = schedule::simulate(graph, simulation);
  if (result.failure) {
    const auto& op = physical.ops[static_cast<std::size_t>(result.failure->task.op)].name;
    throw MemoryError("op " + op + ": " + result.failure->what, "use fewer workers, or more memory");
  }
  check(result.finished, "a simulated run ended with tasks left");
  return summary(physical, result);
}

}  // namespace brim
