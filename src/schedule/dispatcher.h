#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "schedule/admission.h"
#include "schedule/events.h"
#include "schedule/run_state.h"

namespace brim::schedule {

/// Starts what may start, and makes room for it. Looks at the lead first, then at the candidates of the frontier in
/// order. A candidate that must wait for running tasks to end is the head of the queue: others may pass it, but no more
/// than bypass_limit of them, then nothing else but the lead starts until it fits.
class Dispatcher {
 public:
  explicit Dispatcher(RunState& state) : state_(state) {}

  /// Starts tasks until nothing more can start now.
  void dispatch(std::vector<Action>& actions);
  /// The workers of a fixed pool that do not live yet.
  void complete_fixed_pool(std::vector<Action>& actions);
  /// A started worker listens: what it was started for goes there.
  void on_ready(WorkerNumber worker, std::vector<Action>& actions);
  /// Starts a task that `original` is at a second time, with what is left when nothing else can start. Returns where.
  std::optional<WorkerNumber> start_backup(WorkerNumber original, std::vector<Action>& actions);
  /// Gives the cores that nothing else can use now to the tasks sent in this event: when memory or the graph allows
  /// fewer tasks than cores, each may use several.
  void share_cores(std::vector<Action>& actions);
  /// True when the last dispatch() left a ready task that must wait for others to end.
  bool head_waits() const { return head_waits_; }
  /// The worker's first task is at work from now on, or no more.
  void count_running(const ReadyTask& task, int change);

 private:
  enum class Outcome : std::uint8_t { kStarted, kPassed, kStop };

  std::int64_t pass(std::vector<Action>& actions);
  Outcome consider(ReadyTask candidate, std::vector<Action>& actions);
  Outcome wait_as_head(const ReadyTask& candidate, Bytes missing, std::vector<Action>& actions);
  void note_start(TaskId task);
  WorkerNumber add_worker(Bytes held, std::vector<Action>& actions);
  void share_cores(RunTask& run, std::int64_t tasks);

  void start_on_idle(WorkerNumber worker, const ReadyTask& task, std::vector<Action>& actions);
  void start_on_new(const ReadyTask& task, std::vector<Action>& actions);
  void queue_at(WorkerNumber worker, const ReadyTask& task, std::vector<Action>& actions);
  void send(WorkerNumber worker, const ReadyTask& task, std::vector<Action>& actions);

  RunState& state_;
  std::optional<TaskId> head_;
  bool head_waits_ = false;        ///< found so in this pass
  int passed_head_ = 0;            ///< starts since a head waits
  std::vector<std::size_t> sent_;  ///< where in the event's actions tasks are sent
  std::uint64_t next_busy_ = 0;
};

}  // namespace brim::schedule
