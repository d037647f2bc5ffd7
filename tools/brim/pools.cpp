#include "pools.h"

#include <fmt/format.h>

#include <algorithm>

#include "brim/error.h"

namespace brim::tool {
namespace {

/// The most that a task holds beside its resident chunk, over all ops.
Bytes hungriest(const Plan& plan) {
  Bytes most;
  for (const auto& op : plan.ops()) most = std::max(most, op.projected_mem - op.breakdown.resident);
  return most;
}

Pool fixed(const std::string& name, std::int64_t workers, Bytes each) {
  return {.name = fmt::format("{} ({} {})", name, workers, workers == 1 ? "worker" : "workers"),
          .fixed_workers = workers,
          .fixed_task_memory = each};
}

}  // namespace

ExecutorOptions executor_options(const Pool& pool) {
  ExecutorOptions options;
  options.fixed_workers = pool.fixed_workers;
  options.fixed_task_memory = pool.fixed_task_memory;
  options.extra_threads = pool.extra_threads;
  options.overlap = pool.overlap;
  return options;
}

PoolRun simulate_pool(const Plan& plan, const TaskTimes& times, const Pool& pool) {
  SimulateOptions options;
  options.times = times;
  options.fixed_workers = pool.fixed_workers;
  options.fixed_task_memory = pool.fixed_task_memory;
  options.extra_threads = pool.extra_threads;
  options.overlap = pool.overlap;
  PoolRun run{pool};
  try {
    run.simulation = simulate(plan, options);
  } catch (const MemoryError& error) {
    run.refusal = error.record().what;
  }
  return run;
}

PoolRun simulate_hungriest_pool(const Plan& plan, const TaskTimes& times, std::int64_t most) {
  const auto each = hungriest(plan);
  // Resident chunks need room beside the workers.
  const auto fitting = (plan.budget() - plan.coordinator_mem() - plan.resident_peak()) / (plan.worker_mem() + each);
  auto workers = std::clamp<std::int64_t>(fitting, 1, std::max<std::int64_t>(1, most));
  while (true) {
    auto run = simulate_pool(plan, times, fixed("fixed, hungriest op", workers, each));
    if (run.simulation || workers == 1) return run;
    workers -= std::max<std::int64_t>(1, workers / 8);
  }
}

PoolRun simulate_core_pool(const Plan& plan, const TaskTimes& times, int cores) {
  const auto pool = fixed("fixed, core count", cores, hungriest(plan));
  const auto need = plan.coordinator_mem() + (plan.worker_mem() + pool.fixed_task_memory) * cores;
  if (need <= plan.budget()) return simulate_pool(plan, times, pool);
  return {pool, std::nullopt, fmt::format("its workers need {}", to_string(need))};
}

}  // namespace brim::tool
