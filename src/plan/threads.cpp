#include "plan/threads.h"

#include <algorithm>

#include "ops/slabs.h"
#include "plan/account.h"

namespace brim::planning {
namespace {

/// Beyond that, the parts of a task that have one thread decide.
constexpr std::int64_t kMostThreads = 16;

std::int32_t threads_for(const PhysicalPlan& plan, std::size_t op) {
  if (std::holds_alternative<ops::Combine>(plan.ops[op].detail) || plan.ops[op].task_count() == 0) return 1;
  const auto at_once = std::max<std::int64_t>(1, width(plan, op));
  const auto most = static_cast<std::int32_t>(std::clamp<std::int64_t>(plan.machine.cores / at_once, 1, kMostThreads));
  const auto* traversal = std::get_if<ops::Traversal>(&plan.ops[op].detail);
  return traversal == nullptr || most == 1 ? most : ops::worth_threads(traversal->loop.box(0).shape(), most);
}

}  // namespace

std::int64_t width(const PhysicalPlan& plan, std::size_t op) {
  const auto tasks = plan.ops[op].task_count();
  const auto one = std::max(plan.models[op].largest().projected() + plan.worker_mem, Bytes(1));
  return std::clamp<std::int64_t>((plan.budget - plan.coordinator_mem) / one, std::min<std::int64_t>(1, tasks),
                                  std::min(plan.max_workers, tasks));
}

void share_cores(PhysicalPlan& plan) {
  std::vector<std::int32_t> threads;
  for (std::size_t op = 0; op < plan.ops.size(); ++op) threads.push_back(threads_for(plan, op));
  if (std::all_of(threads.begin(), threads.end(), [](std::int32_t count) { return count == 1; })) return;
  for (std::size_t op = 0; op < plan.ops.size(); ++op) plan.ops[op].threads = threads[op];
  account(plan);
  if (plan.minimum_budget <= plan.budget) return;
  for (auto& op : plan.ops) op.threads = 1;
  account(plan);
}

}  // namespace brim::planning
