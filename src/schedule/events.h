#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "brim/bytes.h"
#include "schedule/task_graph.h"

/// What the scheduler hears and what it decides. Plain values; the driver (runtime) or the simulator turns what
/// happens into events and carries out the actions, in order.
namespace brim::schedule {

/// Chosen by the scheduler, from 0 upwards; never used twice in a run.
using WorkerNumber = std::int32_t;

// ---- Events ----

/// First event of every run, once.
struct Begin {
  /// Tasks that an earlier run has done: they are not run, and what they read is made only for others. Everything that
  /// depends on one of them is among them as well, since their resident chunks are gone.
  std::vector<TaskId> done = {};
};

/// A started worker is idle and listens.
struct WorkerReady {
  WorkerNumber worker = 0;
};

struct TaskDone {
  WorkerNumber worker = 0;
  TaskId task;
  double seconds = 0;          ///< how long it ran; 0: not known. Decides whether queueing tasks behind such ones pays
  double blocked_seconds = 0;  ///< how much of that it waited for something other than a core
};

/// A task ended without a result; its worker lives on.
struct TaskFailed {
  WorkerNumber worker = 0;
  TaskId task;
  bool memory = false;  ///< its grant was too small: it is tried again with a larger one
};

/// A task has been at work much longer than others of its op; told again and again. It is started at a second worker
/// too when that costs nothing.
struct TaskOverdue {
  WorkerNumber worker = 0;
  TaskId task;
};

/// Answer to TrimWorker.
struct WorkerTrimmed {
  WorkerNumber worker = 0;
  Bytes held;  ///< beyond reserved_mem; counts where it is more than the worker was to keep
};

/// A worker that was told to stop is gone.
struct WorkerStopped {
  WorkerNumber worker = 0;
};

/// A worker is gone unasked. Same effect as WorkerStopped when it had been told to stop.
struct WorkerLost {
  WorkerNumber worker = 0;
  bool memory = false;  ///< killed for want of memory: its task is tried again with a larger grant
};

/// The budget of the whole run is now this. Never more than Options::budget is used; less than the run needs makes it
/// wait until the budget grows again.
struct MemoryPressure {
  Bytes budget;
};

/// Stop as soon as possible.
struct Cancel {};

using Event = std::variant<Begin, WorkerReady, TaskDone, TaskFailed, TaskOverdue, WorkerTrimmed, WorkerStopped,
                           WorkerLost, MemoryPressure, Cancel>;

// ---- Actions ----

/// Start a process; WorkerReady follows, or WorkerLost.
struct StartWorker {
  WorkerNumber worker = 0;
};

/// Let an idle worker leave (at the end of a run: any worker; what it runs does not matter any more). WorkerStopped
/// follows.
struct StopWorker {
  WorkerNumber worker = 0;
};

/// End a worker at once, whatever it is at; no answer of it counts any more. WorkerStopped or WorkerLost follows.
struct KillWorker {
  WorkerNumber worker = 0;
};

/// Give back kept scratch beyond `keep`, after what was sent to the worker before. WorkerTrimmed follows.
struct TrimWorker {
  WorkerNumber worker = 0;
  Bytes keep;
};

/// Allocate the task's resident block (nothing when `resident` is 0) and send it to the worker, which runs its tasks in
/// the order sent. TaskDone or TaskFailed follows.
struct RunTask {
  WorkerNumber worker = 0;
  TaskId task;
  Bytes grant;     ///< temporary memory: what the worker may hold beyond reserved_mem meanwhile
  Bytes resident;  ///< size of the block, not rounded
  int attempt = 1;
  std::int32_t threads = 1;  ///< cores that it may use at once
  /// The task is at work elsewhere, overdue. Its block here is another one; the block of the copy that answers first,
  /// or whose worker survives, is the task's chunk.
  bool backup = false;
};

/// Free the block of this task: nobody reads it any more, or its worker was lost. The memory stays cached.
struct FreeChunk {
  TaskId task;
};

/// Free the block that this worker had for a task that ran twice: it did not count, and the worker is gone.
struct FreeCopy {
  TaskId task;
  WorkerNumber worker = 0;
};

/// Give at least this much cached block memory back to the system now, oldest first.
struct ReleaseCached {
  Bytes bytes;
};

/// The run is over and every worker is gone. Last action of every run.
struct Finish {
  bool cancelled = false;
};

enum class FailureReason : std::uint8_t {
  kDoesNotFit,   ///< the task's memory cannot fit the budget
  kMemory,       ///< the task exceeded its grants, and there is no larger one
  kWorkerDeath,  ///< the task's worker died, again and again
  kTask,         ///< the task failed on its own
};

/// The run has failed; emitted once. Workers are told to stop, and Finish follows when they are gone.
struct Fail {
  TaskId task;
  FailureReason reason = FailureReason::kTask;
  std::string what;  ///< one line with figures
};

using Action = std::variant<StartWorker, StopWorker, KillWorker, TrimWorker, RunTask, FreeChunk, FreeCopy,
                            ReleaseCached, Finish, Fail>;

}  // namespace brim::schedule
