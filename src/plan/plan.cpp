#include "brim/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "brim/error.h"
#include "plan/assembly.h"
#include "plan/fusion.h"
#include "plan/lower.h"
#include "plan/need.h"
#include "plan/physical_plan.h"
#include "plan/refusal.h"
#include "plan/verify.h"

namespace brim {
namespace {

using planning::Strategy;

/// From the one that does the least work to the one that holds the least memory.
constexpr std::array<Strategy, 6> kStrategies = {{
    {true, true, 64},
    {true, true, 8},
    {false, true, 64},
    {false, true, 8},
    {false, false, 8},
    {false, false, 2},
}};

/// What the coordinator keeps for every task: done bits and counters of the frontier.
Bytes task_table(std::int64_t tasks) { return Bytes(tasks / 4); }

PhysicalPlan build(const planning::Demands& demands, const Machine& machine, const Strategy& strategy) {
  PhysicalPlan plan;
  plan.machine = machine;
  plan.datasets = demands.datasets;
  plan.ops = planning::lower(planning::fuse(demands.stores, strategy), demands.synthetic, strategy);
  plan.worker_mem = machine.reserved_mem;
  std::int64_t tasks = 0;
  for (const auto& op : plan.ops) {
    plan.models.emplace_back(op, plan.datasets);
    plan.worker_mem += plan.models.back().library();
    tasks += op.task_count();
  }
  plan.coordinator_mem = machine.coordinator_mem + task_table(tasks);
  const auto need = planning::sequential_need(plan.ops, plan.models);
  plan.assembly_need = planning::assembly_need(plan.datasets);
  plan.sequential_peak = std::max(need.peak, plan.assembly_need);
  plan.resident_peak = need.resident;
  plan.minimum_budget = plan.coordinator_mem + plan.worker_mem + plan.sequential_peak;
  planning::verify(plan);
  return plan;
}

std::int64_t worker_limit(const Machine& machine, const PlanOptions& options) {
  if (!options.workers) return machine.cores;
  if (*options.workers < 0)
    throw UsageError(fmt::format("{} workers", *options.workers), "use 1 or more, or 0 for no limit");
  return *options.workers == 0 ? std::int64_t{1} << 20 : *options.workers;
}

/// The budget that leaves exactly `task_memory` to tasks when the widest op runs at its full width.
Bytes budget_around(const PhysicalPlan& plan, Bytes task_memory) {
  std::int64_t workers = 1;
  for (std::size_t i = 0; i < plan.ops.size(); ++i) {
    const auto projected = std::max(plan.models[i].largest().projected(), Bytes(1));
    workers = std::max(workers, std::min(task_memory / projected, plan.ops[i].task_count()));
  }
  return plan.coordinator_mem + plan.worker_mem * std::min(workers, plan.max_workers) + task_memory;
}

}  // namespace

Plan plan(const std::vector<Output>& outputs, const Machine& machine, const PlanOptions& options) {
  if (options.memory && options.task_memory)
    throw UsageError("both a budget and a task memory are given",
                     "name one: memory is the whole, task_memory a part of it");
  const auto demands = planning::read_outputs(outputs);
  std::vector<PhysicalPlan> plans;
  for (const auto& strategy : kStrategies) {
    auto& candidate = plans.emplace_back(build(demands, machine, strategy));
    candidate.max_workers = worker_limit(machine, options);
    candidate.budget =
        options.task_memory ? budget_around(candidate, *options.task_memory) : options.memory.value_or(machine.budget);
  }
  const auto leanest = std::min_element(plans.begin(), plans.end(), [](const PhysicalPlan& a, const PhysicalPlan& b) {
    return a.minimum_budget < b.minimum_budget;
  });
  const auto chosen = std::find_if(plans.begin(), plans.end(),
                                   [](const PhysicalPlan& plan) { return plan.minimum_budget <= plan.budget; });
  if (chosen == plans.end()) planning::refuse(*leanest);
  chosen->minimum_budget = leanest->minimum_budget;
  return Plan(std::make_shared<const PhysicalPlan>(std::move(*chosen)));
}

Plan plan(const std::vector<Output>& outputs, const PlanOptions& options) {
  return plan(outputs, this_machine(), options);
}

Plan plan(const Output& output, const PlanOptions& options) { return plan(std::vector{output}, options); }

}  // namespace brim
