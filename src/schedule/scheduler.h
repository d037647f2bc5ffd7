#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "brim/bytes.h"
#include "schedule/events.h"
#include "schedule/task_graph.h"

namespace brim::schedule {

/// A fixed pool: `workers` workers from the first moment to the last, each granted `grant` whatever it runs. The
/// baseline that the adaptive pool is measured against.
struct FixedPool {
  std::int32_t workers = 1;
  Bytes grant;
};

struct Options {
  Bytes budget;           ///< of the whole run
  Bytes coordinator_mem;  ///< what the coordinator itself holds
  Bytes reserved_mem;     ///< what an idle worker holds
  std::int32_t cores = 1;
  /// Most workers at once. Nothing: as many as cores. 0: as many as memory allows.
  std::optional<std::int32_t> max_workers;
  std::optional<FixedPool> fixed_pool;  ///< nothing: the adaptive pool
  /// Tasks may use the cores that no other task can use now. Not in a fixed pool.
  bool extra_threads = true;
  /// Tasks of an op may start before all tasks of the ops before it are done. Off: op by op, for measuring what that
  /// costs; the chunks between ops are then held all at once, and a run that cannot hold them fails.
  bool overlap = true;
  bool prefetch = true;  ///< a busy worker may be sent its next task
  /// No task is queued behind one that takes longer: it would gain nothing, and could start earlier elsewhere.
  double prefetch_limit_seconds = 0.02;
  /// What it costs to touch memory again that was given back: 1.2 s for each GiB of private memory in huge pages, and
  /// 0.1 s for giving it (measured on a virtual machine; others are faster).
  double touch_seconds_per_gibibyte = 1.3;
  int death_limit = 3;         ///< deaths of workers that a task may cause; the last one fails the run
  int memory_retry_limit = 2;  ///< times that a task's grant is doubled
  int bypass_limit = 64;       ///< tasks that may start before the waiting head of the queue
};

/// Every byte of the run at one moment.
struct LedgerTotals {
  Bytes budget;  ///< as it is now
  Bytes coordinator;
  Bytes reserved;  ///< live workers at reserved_mem each
  Bytes held;      ///< beyond that: grants, and scratch kept from grants before
  Bytes promised;  ///< blocks of tasks whose worker is still starting
  Bytes resident;  ///< granted blocks, in whole pages
  Bytes cached;    ///< freed blocks, kept for reuse

  Bytes total() const { return coordinator + reserved + held + promised + resident + cached; }
};

struct RunningTask {
  TaskId task;
  WorkerNumber worker = 0;
  Bytes grant;
  Bytes resident;
  std::int32_t threads = 1;
};

struct Statistics {
  std::int64_t tasks_started = 0;
  std::int64_t tasks_retried = 0;
  std::int64_t workers_started = 0;
  std::int64_t workers_stopped = 0;  ///< to make room
  std::int64_t workers_lost = 0;
  std::int64_t trims = 0;
  std::int64_t prefetches = 0;
  std::int64_t backups = 0;  ///< overdue tasks that were started a second time
  std::int64_t workers_peak = 0;
  std::int64_t running_peak = 0;
  std::int64_t bypass_peak = 0;  ///< most starts that passed a waiting head
  Bytes ledger_peak;
  Bytes resident_peak;
};

/// Decides what runs when and where, so that the ledger never passes the budget and the machine is as full as can be.
///
/// A pure state machine (D6): no clock, process, file or array data. Not thread safe. on_event() throws nothing but
/// InternalError, for a broken invariant: the ledger over the budget, or an event about something that is not so.
/// Borrows the graph.
class Scheduler {
 public:
  Scheduler(const TaskGraph& graph, const Options& options);
  ~Scheduler();
  Scheduler(Scheduler&&) noexcept;
  Scheduler& operator=(Scheduler&&) noexcept;

  /// Takes note of what happened and appends to `actions` what is to be done now, in this order. Cost per task:
  /// O(log(ready tasks) + dependencies + dependents).
  void on_event(const Event& event, std::vector<Action>& actions);

  /// True after Finish.
  bool finished() const;
  LedgerTotals ledger() const;
  /// What running tasks were granted and resident chunks take: memory at work, without what is only kept.
  Bytes in_use() const;
  Statistics statistics() const;

  std::int64_t done_count() const;
  std::int64_t done_count(OpIndex op) const;
  /// Tasks at a worker and at work; without those queued behind them.
  std::int64_t running_count() const;
  std::int64_t running_count(OpIndex op) const;
  /// Most tasks of this op at work at once, so far.
  std::int64_t width_observed(OpIndex op) const;
  /// How long recent tasks of this op ran; negative before the first is done.
  double mean_seconds(OpIndex op) const;
  /// What tasks of this op are granted over what they were projected: more than 1 after some exceeded their grants.
  double grant_factor(OpIndex op) const;
  std::vector<RunningTask> running() const;
  std::int64_t worker_count() const;
  std::int64_t idle_worker_count() const;
  /// With a lower budget than this, what is resident now might leave no room for the next task.
  Bytes least_budget() const;
  /// True while a task waits for memory: fewer are at work than may be. Memory is the bottleneck then.
  bool waits_for_memory() const;
  /// True when nothing runs because the budget was lowered below what the next task needs.
  bool waits_for_budget() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace brim::schedule
