#pragma once

#include <optional>
#include <string>

#include "brim/executor.h"
#include "brim/simulate.h"

namespace brim::tool {

/// How a pool is laid out: the adaptive one, one with something switched off, or a fixed one.
struct Pool {
  std::string name = "adaptive";
  std::optional<std::int64_t> fixed_workers = {};
  Bytes fixed_task_memory = {};  ///< what each of them may hold
  bool extra_threads = true;
  bool overlap = true;
};

/// A pool's run of a plan on a virtual clock; nothing simulated: it cannot run the plan.
struct PoolRun {
  Pool pool;
  std::optional<Simulation> simulation = {};
  std::string refusal = {};  ///< why not
};

ExecutorOptions executor_options(const Pool& pool);

PoolRun simulate_pool(const Plan& plan, const TaskTimes& times, const Pool& pool);

/// The largest fixed pool, of at most `most` workers, that can run the plan, each worker with the memory that the
/// hungriest op takes beside its resident chunk.
PoolRun simulate_hungriest_pool(const Plan& plan, const TaskTimes& times, std::int64_t most);

/// A fixed pool of one such worker for every core, whether or not that fits.
PoolRun simulate_core_pool(const Plan& plan, const TaskTimes& times, int cores);

}  // namespace brim::tool
