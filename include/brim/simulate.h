#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "brim/bytes.h"
#include "brim/executor.h"
#include "brim/lower_bound.h"
#include "brim/plan.h"

namespace brim {

/// How long one task of an op takes in the mean. Tasks of other sizes take as much more or less as they read and write.
struct OpTime {
  std::string op;
  double cpu_seconds = 0;    ///< of all its threads
  double wait_seconds = 0;   ///< for something other than a core
  std::int64_t samples = 0;  ///< tasks measured; 0: an estimate
};

/// Times of a plan's tasks and of its workers.
struct TaskTimes {
  std::vector<OpTime> ops;              ///< one for each op of the plan, in its order
  double worker_start_seconds = 0.005;  ///< from the decision to start a worker until it is at work
};

/// Values that a core reads and writes in a second where nothing better is known: 256 MiB.
constexpr Bytes kEstimatedThroughput = mebibytes(256);

/// What can be told without a run: what synthetic tasks are told to do; else the bytes of values that a task reads and
/// writes at this many a second of CPU time.
TaskTimes estimate_times(const Plan& plan, Bytes throughput = kEstimatedThroughput);

/// Times of a run of the same workload, perhaps planned for another machine, from its finished tasks. Throws UsageError
/// where an op of the plan has none.
TaskTimes measured_times(const Plan& plan, const std::vector<TaskRecord>& tasks);

/// The same from a file of history_file(). The end of a killed run's history may be cut off. Throws StorageError
/// "FILE:LINE: ..." when it cannot be read or is damaged, UsageError when it is of another workload: an op of the plan
/// is not in it, or is of another kind or number of tasks there.
TaskTimes read_history_times(const Plan& plan, const std::string& file);

/// What no schedule of the plan's tasks can beat on the plan's machine. `times` fit the plan, else UsageError.
LowerBound lower_bound(const Plan& plan, const TaskTimes& times);

struct SimulateOptions {
  std::optional<TaskTimes> times = {};  ///< nothing: estimate_times()
  /// As in ExecutorOptions: a fixed pool, and what each of its workers may hold.
  std::optional<std::int64_t> fixed_workers = {};
  Bytes fixed_task_memory = {};
  bool extra_threads = true;
  bool overlap = true;
  double worker_spawn_seconds = 0.002;  ///< workers are started one after another, each so much later
  double message_seconds = 0.00002;     ///< from coordinator to worker, or back
};

/// One op of a simulated run.
struct SimulatedOp {
  std::string name;
  std::int64_t tasks = 0;
  std::int64_t width = 0;  ///< most tasks at once
};

/// What a simulated run did.
struct Simulation {
  std::vector<SimulatedOp> ops;
  double makespan_seconds = 0;
  double memory_time_used = 0;      ///< share of budget x makespan that tasks and resident chunks held
  double memory_bound_seconds = 0;  ///< in which a task waited for memory: it was the bottleneck
  double memory_bound_used = 0;     ///< share of budget x those seconds that tasks and resident chunks held
  Bytes peak_held;                  ///< most on the ledger at once
  std::int64_t tasks = 0;
  std::int64_t workers_peak = 0;  ///< most at once
  std::int64_t workers_started = 0;
  std::int64_t retries = 0;  ///< tasks run again
};

/// Runs the plan on the machine that it was made for, here or not, with a virtual clock: the scheduler is that of a
/// real run, and threads at work share the plan's cores. Takes some microseconds a task and touches no data; putting
/// compressed output files together at the end is not counted. Throws MemoryError when a fixed pool cannot run the
/// plan, or one without overlap; UsageError when `times` do not fit it.
Simulation simulate(const Plan& plan, const SimulateOptions& options = {});

}  // namespace brim
