#include "plan/account.h"

#include <algorithm>

#include "plan/assembly.h"
#include "plan/need.h"

namespace brim::planning {
namespace {

/// What the coordinator keeps for every task: done bits and counters of the frontier.
Bytes task_table(std::int64_t tasks) { return Bytes(tasks / 4); }

}  // namespace

void account(PhysicalPlan& plan) {
  plan.models.clear();
  plan.worker_mem = plan.machine.reserved_mem;
  std::int64_t tasks = 0;
  for (const auto& op : plan.ops) {
    plan.models.emplace_back(op, plan.datasets);
    plan.worker_mem += plan.models.back().library();
    tasks += op.task_count();
  }
  plan.coordinator_mem = plan.machine.coordinator_mem + task_table(tasks);
  const auto need = sequential_need(plan.ops, plan.models);
  plan.assembly_need = assembly_need(plan.datasets);
  plan.sequential_peak = std::max(need.peak, plan.assembly_need);
  plan.resident_peak = need.resident;
  plan.minimum_budget = plan.coordinator_mem + plan.worker_mem + plan.sequential_peak;
}

}  // namespace brim::planning
