#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "machine/oom_counter.h"
#include "plan/physical_plan.h"
#include "pool/pool.h"
#include "runtime/budget_watch.h"
#include "runtime/run_recorder.h"
#include "schedule/scheduler.h"
#include "shm/chunk_arena.h"

namespace brim::runtime {

/// What a phase of a run works through: the plan's tasks, or the assembly of compressed files.
struct Phase {
  const schedule::TaskGraph* graph = nullptr;
  /// What a worker must know before its first task of an op; nothing when it needs nothing.
  std::function<std::optional<pool::Define>(schedule::OpIndex)> definition;
  /// The message that starts a task: a Run or an Assemble, whose sequence, grant and blocks the driver fills in.
  std::function<pool::ToWorker(schedule::TaskId)> message;
  /// Tasks that an earlier run has done; see schedule::Begin.
  std::vector<schedule::TaskId> done = {};
  /// Called when a task is done; may be empty.
  std::function<void(schedule::TaskId)> on_done = {};
  /// For people: "task 17 of op dew, chunk (0, 3, 1)".
  std::function<std::string(schedule::TaskId)> task_name;
};

struct DriverOptions {
  schedule::Options schedule;
  Bytes library_memory;  ///< what third-party code may take in a worker beside its tasks' scratch
  std::vector<std::vector<std::byte>> targets;  ///< storage::OutputTarget archives of the run
  std::vector<std::string> op_names;
  std::size_t first_op = 0;    ///< how the recorder counts this phase's op number 0
  int cancel_descriptor = -1;  ///< readable when the run is to stop
};

/// Carries out what the scheduler decides: starts processes, grants blocks, sends tasks, and turns what comes back into
/// events. Single-threaded; touches no array data.
class Driver {
 public:
  Driver(Phase phase, DriverOptions options, RunRecorder& recorder);

  /// Runs the phase to its end. Throws what made it fail; no worker outlives the driver.
  void run();

  std::vector<std::int64_t> widths_observed() const;
  /// Adds this phase's totals.
  void add_to(Report& report) const;

 private:
  using Since = std::map<pool::WorkerNumber, Clock::time_point>;
  struct Running {
    schedule::TaskId task;
    pool::WorkerNumber worker = -1;
    Bytes grant;
    Bytes resident;
    std::int32_t threads = 1;
    Clock::time_point since;  ///< when it was sent, or when the one before it at its worker ended
  };

  void feed(const schedule::Event& event);
  void apply(const schedule::StartWorker& action);
  void apply(const schedule::StopWorker& action);
  void apply(const schedule::KillWorker& action);
  void apply(const schedule::TrimWorker& action);
  void apply(const schedule::RunTask& action);
  void apply(const schedule::FreeChunk& action);
  void apply(const schedule::FreeCopy& action);
  void apply(const schedule::ReleaseCached& action);
  void apply(const schedule::Finish& action);
  void apply(const schedule::Fail& action);

  void on(pool::WorkerNumber worker, const pool::Ready& event);
  void on(pool::WorkerNumber worker, const pool::Done& event);
  void on(pool::WorkerNumber worker, const pool::Failed& event);
  void on(pool::WorkerNumber worker, const pool::Trimmed& event);
  void on(pool::WorkerNumber worker, const pool::WorkerGone& event);
  void on(pool::WorkerNumber worker, const pool::DescriptorReady& event);

  void define(pool::WorkerNumber worker, schedule::OpIndex op);
  void fill_blocks(const schedule::RunTask& action, pool::Run& run);
  void note_resize(Since& since, pool::WorkerNumber worker);
  Running take_running(std::int64_t sequence, pool::WorkerNumber worker);
  void count_copy(pool::WorkerNumber worker, schedule::TaskId task, pool::WorkerNumber other);
  std::optional<pool::WorkerNumber> find_other(pool::WorkerNumber worker, schedule::TaskId task) const;
  void look_for_stragglers();
  void end_if_stopped(pool::WorkerNumber worker);
  Bytes held() const;
  void watch_budget();
  TaskRecord record_of(const Running& running, const pool::TaskUsage& usage) const;
  void show();

  Phase phase_;
  DriverOptions options_;
  RunRecorder& recorder_;
  schedule::Scheduler scheduler_;
  shm::ChunkArena arena_;
  pool::Pool pool_;
  machine::OomCounter oom_counter_;
  std::int64_t task_total_ = 0;
  std::map<schedule::TaskId, shm::Block> chunks_;  ///< resident chunks, by the task that makes them
  std::map<std::int64_t, Running> running_;        ///< by sequence: what a worker was sent first comes first
  /// Blocks of tasks that run at two workers, but for the one that is in chunks_.
  std::map<std::pair<pool::WorkerNumber, schedule::TaskId>, shm::Block> copies_;
  std::set<pool::WorkerNumber> killed_;  ///< whose answers do not count any more
  Since starting_;                       ///< since when workers were asked to start,
  Since trimming_;                       ///< to give memory back,
  Since leaving_;                        ///< to stop
  std::int64_t resizes_ = 0;
  Clock::duration resize_time_{};
  std::set<pool::WorkerNumber> seen_stopped_;
  Clock::time_point next_look_{};
  BudgetWatch budget_watch_;
  Clock::time_point next_sample_{};
  std::map<pool::WorkerNumber, std::set<schedule::OpIndex>> defined_;
  std::int64_t next_sequence_ = 0;
  std::optional<ErrorRecord> last_error_;  ///< of the task that failed last
  std::string last_death_;                 ///< how the last lost worker ended
  std::string death_hint_;                 ///< and the probable cause
  bool finished_ = false;
};

}  // namespace brim::runtime
