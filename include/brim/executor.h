#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "brim/bytes.h"
#include "brim/plan.h"

namespace brim {

/// A finished task, as it went.
struct TaskRecord {
  std::string op;
  std::int64_t task = 0;  ///< its number in the op
  int worker = 0;
  int threads = 1;                   ///< cores that it was allowed to use
  std::chrono::nanoseconds start{};  ///< since the start of the run
  std::chrono::nanoseconds end{};
  std::chrono::nanoseconds cpu{};
  std::chrono::nanoseconds blocked{};  ///< its first thread neither ran nor waited for a core
  Bytes projected_mem;
  Bytes measured_mem;  ///< private memory at its peak and its resident chunk
  Bytes resident;      ///< that chunk, in projected_mem and measured_mem
  Bytes read;          ///< from files
  Bytes written;       ///< to files
  std::int64_t minor_faults = 0;
};

/// The state of a run at one moment.
struct RunState {
  std::chrono::nanoseconds elapsed{};
  std::int64_t tasks_done = 0;
  std::int64_t tasks_total = 0;
  std::int64_t tasks_running = 0;
  std::int64_t workers = 0;
  Bytes held;      ///< everything on the ledger
  Bytes granted;   ///< among it: what running tasks may hold beside resident chunks, and scratch that workers keep
  Bytes resident;  ///< among it: resident chunks
  Bytes cached;    ///< among it: memory of freed chunks, kept for the next ones
  Bytes budget;
  Bytes bytes_read;
  Bytes bytes_written;
};

/// One operation, summed over its tasks.
struct OpReport {
  std::string name;
  std::int64_t tasks = 0;
  std::int64_t width_planned = 0;
  std::int64_t width_observed = 0;  ///< most tasks that ran at once
  Bytes projected_mem;              ///< of the largest task
  Bytes measured_mem;               ///< largest measured
  std::chrono::nanoseconds busy{};  ///< task time, summed
  std::chrono::nanoseconds cpu{};
  std::chrono::nanoseconds first_start{};
  std::chrono::nanoseconds last_end{};
  Bytes read;
  Bytes written;
  std::int64_t minor_faults = 0;
};

/// What a run did.
struct Report {
  std::vector<OpReport> ops;
  std::chrono::nanoseconds wall{};
  std::int64_t tasks = 0;
  Bytes budget;
  Bytes peak_held;                          ///< most that was on the ledger at once
  double memory_time_used = 0;              ///< share of budget x time that tasks and resident chunks held
  std::chrono::nanoseconds memory_bound{};  ///< in which a task waited for memory: it was the bottleneck
  double memory_bound_used = 0;             ///< share of budget x that time that tasks and resident chunks held
  std::int64_t workers_started = 0;
  /// Workers started, trimmed and stopped, and the time from asking for that until it was so, summed.
  std::int64_t resizes = 0;
  std::chrono::nanoseconds resize_time{};
  std::int64_t workers_lost = 0;  ///< that died on their own
  std::int64_t retries = 0;       ///< tasks run again
  std::int64_t block_grants = 0;  ///< resident chunks granted, and how many reused memory
  std::int64_t block_reuses = 0;

  /// A summary table for people.
  std::string summary() const;
};

/// Watches a run. Functions are called from the thread that runs it, between tasks; they should return soon.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void on_start(const Plan& /*plan*/) {}
  virtual void on_task(const TaskRecord& /*task*/) {}
  /// Something worth a line: a worker died, a task is run again, the budget shrank.
  virtual void on_notice(const std::string& /*text*/) {}
  /// Called ten times a second; more often in the first seconds, so that short runs are seen too.
  virtual void on_state(const RunState& /*state*/) {}
  /// Called at the end of a run that succeeded.
  virtual void on_finish(const Report& /*report*/) {}
};

/// A progress line on standard error: redrawn in place on a terminal, a plain line now and then elsewhere.
std::shared_ptr<Observer> progress_line();
/// Writes one JSON object per line: the run, every task, notices, the report. The file is made new; one that
/// exists and is no history is left alone. Throws StorageError.
std::shared_ptr<Observer> history_file(const std::string& path);
/// Writes what chrome://tracing and ui.perfetto.dev open: every task on its worker's track, the memory that the run
/// holds and how many tasks it runs. Written while the run goes on; the file is valid JSON once the observer is
/// destroyed, however the run ended. The file is made new; one that
/// exists and is no trace is left alone: StorageError.
std::shared_ptr<Observer> trace_file(const std::string& path);

struct ExecutorOptions {
  std::vector<std::shared_ptr<Observer>> observers = {};
  /// Folder for chunks of compressed outputs until the file is put together, and for spilled chunks; empty: beside the
  /// output.
  std::string scratch_folder = {};
  /// Number of workers of a fixed pool, each with the same share of the memory for the whole run: the baseline that
  /// brim is measured against. Nothing: the adaptive pool.
  std::optional<std::int64_t> fixed_workers = {};
  /// What a fixed pool's worker may hold beside its reserved_mem.
  Bytes fixed_task_memory = {};
  /// Goes on where an earlier run with this option was stopped, by whatever: what is in the unfinished output file
  /// stays there, and only the rest is computed. Begins anew where there is none. run() throws StorageError when the
  /// plan or its inputs are not those of the earlier run, UsageError for outputs that are compressed or in several
  /// files.
  bool resume = false;
  /// Where memory or the plan allows fewer tasks at once than there are cores, a task may use several. Off: one each.
  bool extra_threads = true;
  /// Tasks of an op may start before all tasks of the ops before it are done. Off: op by op, for measuring what that
  /// costs. Throws MemoryError where the chunks between ops, all at once, do not fit the budget.
  bool overlap = true;
};

/// Runs plans on this machine in a pool of worker processes that it starts and stops. One run at a time; different
/// Executors may run in different threads.
class Executor {
 public:
  explicit Executor(ExecutorOptions options = {});
  ~Executor();
  Executor(Executor&&) noexcept;
  Executor& operator=(Executor&&) noexcept;

  /// Computes and stores every output of the plan. When it returns, outputs are whole; when it throws, no output was
  /// touched and nothing is left behind (with `resume`: what the next run goes on with). Throws Cancelled after
  /// cancel(), WorkerError, StorageError, MemoryError.
  Report run(const Plan& plan);

  /// Stops the run within a second; with none under way, the next one as it begins. Async-signal-safe, callable from
  /// any thread.
  void cancel() noexcept;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace brim
