#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "schedule/memory_time.h"
#include "schedule/scheduler.h"
#include "schedule/task_work.h"

namespace brim::schedule {

/// A machine and its misfortunes, for a run with a virtual clock.
struct SimulationOptions {
  Options schedule;
  /// How long a task runs, in seconds, whatever else does. Nothing: one second each.
  std::function<double(TaskId)> duration_seconds;
  /// Instead: what it has to do. CPU time goes by on Options::cores cores, which all tasks share.
  WorkOf work;
  /// What a task holds in truth, beside its resident chunk. More than its grant: it fails for memory. Nothing: as the
  /// graph says.
  std::function<Bytes(TaskId)> true_temporary;
  double spawn_seconds = 0;    ///< from one StartWorker to the next: workers are started one after another
  double start_seconds = 0;    ///< then to WorkerReady
  double stop_seconds = 0;     ///< from StopWorker to WorkerStopped
  double trim_seconds = 0;     ///< of one TrimWorker
  double message_seconds = 0;  ///< one way
  Bytes untrimmable;           ///< what a worker keeps of its scratch whatever it is asked
  double death_chance = 0;     ///< for each task: its worker dies meanwhile
  double start_death_chance = 0;
  bool excess_kills = false;  ///< the kernel kills the worker of a task that exceeds its grant: WorkerLost for memory
  double stall_chance = 0;    ///< for each task, where it is not a second copy: it never ends
  std::uint64_t seed = 1;
  std::vector<TaskId> done;  ///< by an earlier run
  /// MemoryPressure and Cancel, with their times.
  std::vector<std::pair<double, Event>> incidents;
  /// Called after each event; for tests and displays.
  std::function<void(double seconds, const Scheduler&)> watch;
};

struct SimulationResult {
  bool finished = false;  ///< all tasks done
  bool cancelled = false;
  std::optional<Fail> failure;
  double makespan_seconds = 0;  ///< to the end of the last task
  MemoryTime memory_time;
  double busy_seconds = 0;  ///< of all workers, tasks run in vain included
  Bytes true_peak;          ///< what workers, chunks and coordinator did hold at once
  std::int64_t events = 0;
  std::int64_t tasks_run = 0;
  std::vector<std::int64_t> widths;  ///< of each op, most at once
  Statistics statistics;
};

/// Runs the graph with the real scheduler on a simulated machine. The machine keeps an account of its own of what is
/// held; throws InternalError when that passes the budget or the scheduler's ledger, when a task starts before what it
/// depends on is there, or when the run stands still with tasks left.
SimulationResult simulate(const TaskGraph& graph, const SimulationOptions& options);

}  // namespace brim::schedule
