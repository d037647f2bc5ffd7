#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "schedule/frontier.h"
#include "schedule/ledger.h"

namespace brim::schedule {

enum class WorkerState : std::uint8_t { kStarting, kIdle, kBusy, kStopping };

struct Worker {
  WorkerState state = WorkerState::kStarting;
  Bytes held;                        ///< on the ledger beyond reserved_mem
  Bytes floor;                       ///< what it held after its last trim: trimming gives no more than held - floor
  std::optional<Bytes> trim_to;      ///< asked for and not confirmed
  std::optional<ReadyTask> running;  ///< of a starting worker: the task it is started for
  std::optional<ReadyTask> queued;   ///< sent, behind the running one
  bool backup = false;               ///< the running task is a copy of one that is overdue
  std::int32_t threads = 0;          ///< cores that the running task may use
  std::int32_t queued_threads = 0;   ///< and the queued one after it
  bool queued_in_lane = false;       ///< queued behind one of its op on purpose: its op has no more width
  std::uint64_t busy_since = 0;      ///< number of its last start
  double kept_seconds = 0;           ///< work that others could not do for what it kept beyond its tasks' need

  /// What its tasks may use at once: they run one after the other.
  Bytes granted() const;
  std::int32_t cores() const { return std::max(threads, queued_threads); }
  /// What trimming would give now.
  Bytes excess() const;
};

/// The live workers, found by what they could be used for. Keeps the ledger's lines for workers.
class WorkerTable {
 public:
  WorkerTable(Ledger& ledger, Bytes reserved) : ledger_(&ledger), reserved_(reserved) {}

  WorkerNumber add(Bytes held);
  void remove(WorkerNumber number);
  const Worker& at(WorkerNumber number) const;
  const std::map<WorkerNumber, Worker>& all() const { return workers_; }
  /// Changes a worker and whatever depends on its state and memory.
  template <typename Change>
  void change(WorkerNumber number, Change change) {
    auto& worker = require(number);
    unindex(number, worker);
    const auto held = worker.held;
    change(worker);
    index(number, worker);
    ledger_->change_held(held, worker.held);
  }

  std::int64_t count() const { return static_cast<std::int64_t>(workers_.size()); }
  std::int64_t idle_count() const { return static_cast<std::int64_t>(idle_.size()); }
  /// Of workers that are neither idle nor leaving.
  std::int64_t active_count() const { return count() - idle_count() - stopping_count_; }
  /// Workers that start, with a task waiting for them.
  std::int64_t awaited_count() const { return awaited_count_; }
  /// Cores that tasks may use, starting and queued ones included.
  std::int64_t cores() const { return cores_; }
  /// The idle worker that holds just enough for `grant`, else the one that holds most.
  std::optional<WorkerNumber> find_idle(Bytes grant) const;
  /// Of those that hold less than `grant`, the idle worker that holds most.
  std::optional<WorkerNumber> find_leaner_idle(Bytes grant) const;
  /// The busy worker without a second task that has been busy longest, among the first few that `suits`.
  template <typename Suits>
  std::optional<WorkerNumber> find_queue(Suits suits) const {
    int left = kQueueCandidates;
    for (auto entry = open_.begin(); entry != open_.end() && left > 0; ++entry, --left)
      if (suits(at(entry->second))) return entry->second;
    return std::nullopt;
  }
  bool has_queue() const { return !open_.empty(); }
  /// Busy workers that hold more than their tasks may use and were not asked for it.
  const std::set<WorkerNumber>& loose() const { return loose_; }
  /// Idle workers, by what they hold.
  const std::set<std::pair<Bytes, WorkerNumber>>& idle() const { return idle_; }

  Bytes reserved() const { return reserved_; }
  /// What all idle workers are charged: all of it can be had back.
  Bytes idle_bytes() const { return idle_held_ + reserved_ * idle_count(); }
  /// What workers are charged that are leaving.
  Bytes stopping_bytes() const { return stopping_bytes_; }
  /// What trims that are not confirmed will give.
  Bytes trimming_bytes() const { return trimming_bytes_; }

 private:
  Worker& require(WorkerNumber number);
  void index(WorkerNumber number, const Worker& worker) { count_in(number, worker, true); }
  void unindex(WorkerNumber number, const Worker& worker) { count_in(number, worker, false); }
  void count_in(WorkerNumber number, const Worker& worker, bool in);

  /// Busy workers looked at for a place in a queue: a bound, because a decision must stay cheap.
  static constexpr int kQueueCandidates = 16;

  Ledger* ledger_;
  Bytes reserved_;
  std::map<WorkerNumber, Worker> workers_;
  WorkerNumber next_ = 0;
  std::set<std::pair<Bytes, WorkerNumber>> idle_;
  std::set<std::pair<std::uint64_t, WorkerNumber>> open_;  ///< busy, nothing queued
  std::set<WorkerNumber> loose_;
  std::int64_t stopping_count_ = 0;
  std::int64_t awaited_count_ = 0;
  std::int64_t cores_ = 0;
  Bytes idle_held_;
  Bytes stopping_bytes_;
  Bytes trimming_bytes_;
};

}  // namespace brim::schedule
