#include "schedule/simulator.h"

#include <algorithm>

#include "core/check.h"
#include "schedule/simulated_machine.h"

namespace brim::schedule {
namespace {

/// Carries out everything decided, and holds the machine's own account against the budget and the ledger.
void carry_out_all(SimulatedMachine& machine, const Scheduler& scheduler, const SimulationOptions& options,
                   const std::vector<Action>& actions, SimulationResult& result) {
  for (const auto& action : actions) {
    machine.carry_out(action);
    result.true_peak = std::max(result.true_peak, machine.held());
    check(machine.held() <= options.schedule.budget, "more is held than the budget");
  }
  const auto ledger = scheduler.ledger();
  check(machine.held() <= ledger.total(), "more is held than the ledger knows of");
  check(machine.arena().granted() == ledger.resident, "arena and ledger disagree about granted blocks");
  check(machine.arena().cached() == ledger.cached, "arena and ledger disagree about cached blocks");
}

}  // namespace

SimulationResult simulate(const TaskGraph& graph, const SimulationOptions& options) {
  const auto facts = facts_of(graph);
  SimulatedMachine machine(graph, facts, options);
  Scheduler scheduler(graph, options.schedule);
  SimulationResult result;
  std::vector<Action> actions;
  double before = 0;
  std::optional<Event> event = Begin{options.done};
  while (event && !scheduler.finished()) {
    result.memory_time.pass(machine.now() - before, scheduler.in_use(), scheduler.waits_for_memory());
    before = machine.now();
    actions.clear();
    scheduler.on_event(*event, actions);
    ++result.events;
    carry_out_all(machine, scheduler, options, actions, result);
    if (options.watch) options.watch(machine.now(), scheduler);
    event = machine.next_event();
  }
  check(scheduler.finished() == machine.saw_finish(), "the end of the run was not told");
  check(scheduler.finished() || scheduler.waits_for_budget(), "the run stands still with tasks left");
  std::int64_t tasks = 0;
  for (const auto& op : facts) tasks += op.task_count;
  result.finished = scheduler.finished() && scheduler.done_count() == tasks;
  result.cancelled = machine.was_cancelled();
  result.failure = machine.failure();
  result.makespan_seconds = machine.last_end();
  result.busy_seconds = machine.busy_seconds();
  result.tasks_run = machine.tasks_run();
  for (OpIndex op = 0; op < graph.op_count(); ++op) result.widths.push_back(scheduler.width_observed(op));
  result.statistics = scheduler.statistics();
  return result;
}

}  // namespace brim::schedule
