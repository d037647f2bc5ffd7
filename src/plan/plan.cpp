#include "brim/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "brim/error.h"
#include "plan/account.h"
#include "plan/fusion.h"
#include "plan/lower.h"
#include "plan/physical_plan.h"
#include "plan/refusal.h"
#include "plan/spill.h"
#include "plan/threads.h"
#include "plan/verify.h"

namespace brim {
namespace {

using planning::Strategy;

/// From the one that does the least work to the one that holds the least memory.
constexpr std::array<Strategy, 9> kStrategies = {{
    {true, false, true, 64},
    {true, false, true, 8},
    {true, true, true, 64},
    {true, true, true, 8},
    {true, true, false, 2},
    {false, false, true, 64},
    {false, false, true, 8},
    {false, false, false, 8},
    {false, false, false, 2},
}};

PhysicalPlan build(const planning::Demands& demands, const Machine& machine, const Strategy& strategy) {
  PhysicalPlan plan;
  plan.machine = machine;
  plan.datasets = demands.datasets;
  plan.ops = planning::lower(planning::fuse(demands.stores, strategy), demands.synthetic, strategy);
  if (strategy.spill) planning::spill_held_arrays(plan.ops);
  planning::account(plan);
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
    candidate.workers_named = options.workers.has_value();
    candidate.budget =
        options.task_memory ? budget_around(candidate, *options.task_memory) : options.memory.value_or(machine.budget);
  }
  const auto leanest = std::min_element(plans.begin(), plans.end(), [](const PhysicalPlan& a, const PhysicalPlan& b) {
    return a.minimum_budget < b.minimum_budget;
  });
  const auto chosen = std::find_if(plans.begin(), plans.end(),
                                   [](const PhysicalPlan& plan) { return plan.minimum_budget <= plan.budget; });
  if (chosen == plans.end()) planning::refuse(*leanest);
  const auto minimum = leanest->minimum_budget;
  planning::share_cores(*chosen);
  chosen->minimum_budget = minimum;
  return Plan(std::make_shared<const PhysicalPlan>(std::move(*chosen)));
}

Plan plan(const std::vector<Output>& outputs, const PlanOptions& options) {
  return plan(outputs, this_machine(), options);
}

Plan plan(const Output& output, const PlanOptions& options) { return plan(std::vector{output}, options); }

}  // namespace brim
