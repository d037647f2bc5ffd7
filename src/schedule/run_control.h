#pragma once

#include <optional>
#include <string>
#include <vector>

#include "schedule/copies.h"
#include "schedule/dispatcher.h"
#include "schedule/events.h"
#include "schedule/run_state.h"

namespace brim::schedule {

/// Takes events in, keeps the run's state, and ends the run: done, failed or cancelled.
class RunControl {
 public:
  RunControl(const TaskGraph& graph, const Options& options) : state_(graph, options), dispatcher_(state_) {}

  void on_event(const Event& event, std::vector<Action>& actions);
  const RunState& state() const { return state_; }
  bool finished() const { return phase_ == Phase::kFinished; }
  bool waits_for_memory() const;
  bool waits_for_budget() const { return waits_for_budget_; }

 private:
  enum class Phase : std::uint8_t { kBefore, kRunning, kEnding, kFinished };

  void on(const Begin& event, std::vector<Action>& actions);
  void on(const WorkerReady& event, std::vector<Action>& actions);
  void on(const TaskDone& event, std::vector<Action>& actions);
  void on(const TaskFailed& event, std::vector<Action>& actions);
  void on(const TaskOverdue& event, std::vector<Action>& actions);
  void on(const WorkerTrimmed& event, std::vector<Action>& actions);
  void on(const WorkerStopped& event, std::vector<Action>& actions);
  void on(const WorkerLost& event, std::vector<Action>& actions);
  void on(const MemoryPressure& event, std::vector<Action>& actions);
  void on(const Cancel& event, std::vector<Action>& actions);

  void go_on(std::vector<Action>& actions);
  void start_backup(std::vector<Action>& actions);
  void abandon(WorkerNumber worker, std::vector<Action>& actions);
  bool is_leaving(WorkerNumber worker) const;
  void reject_impossible(std::vector<Action>& actions);
  void resolve_standstill(std::vector<Action>& actions);
  bool at_rest() const;

  ReadyTask take_running(WorkerNumber worker, TaskId task);
  void release_dependencies(TaskId task, std::vector<Action>& actions);
  std::int64_t count_dependents(TaskId task) const;
  void free_chunk(TaskId task, std::vector<Action>& actions);
  void unassign(const ReadyTask& task, WorkerState state, std::vector<Action>& actions);
  void note_duration(OpIndex op, double seconds);
  void note_success(const ReadyTask& task);
  Bytes largest_grant(const ReadyTask& task) const;
  void retry_with_more(ReadyTask task, std::vector<Action>& actions);
  void retry_after_memory_kill(const ReadyTask& task, std::vector<Action>& actions);
  void retry_after_death(const ReadyTask& task, std::vector<Action>& actions);
  void drop_tasks(const Worker& worker, std::vector<Action>& actions);
  void lose(WorkerNumber number, bool memory, std::vector<Action>& actions);
  void free_copy(const Copies::Block& block, WorkerNumber worker, std::vector<Action>& actions);

  void fail(TaskId task, FailureReason reason, std::string what, std::vector<Action>& actions);
  void end(std::vector<Action>& actions);

  RunState state_;
  Dispatcher dispatcher_;
  Phase phase_ = Phase::kBefore;
  Copies copies_;
  std::optional<WorkerNumber> overdue_;  ///< told in this event
  bool cancelled_ = false;
  bool waits_for_budget_ = false;
  int failed_starts_ = 0;  ///< workers in a row that died before they were ready
};

}  // namespace brim::schedule
