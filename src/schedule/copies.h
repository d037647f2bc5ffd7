#pragma once

#include <optional>
#include <unordered_map>

#include "schedule/events.h"
#include "schedule/op_facts.h"

namespace brim::schedule {

/// Tasks that run at two workers because the first is overdue, and workers that were told to die because the other one
/// was first. Whoever ends first counts; what the other one holds stays on the ledger until its process is gone.
class Copies {
 public:
  void add(TaskId task, WorkerNumber original, WorkerNumber backup) { pairs_[task] = {original, backup}; }
  bool contains(TaskId task) const { return pairs_.contains(task); }
  /// The other worker of a task that `worker` has run, ended or lost; the task is one like all others from now on.
  /// Nothing when there is no other.
  std::optional<WorkerNumber> take_other(TaskId task, WorkerNumber worker);

  /// The block of this task goes when the worker does.
  void abandon(WorkerNumber worker, TaskId task, Bytes block) { abandoned_[worker] = {task, block}; }
  struct Block {
    TaskId task;
    Bytes charged;
  };
  std::optional<Block> take_abandoned(WorkerNumber worker);

 private:
  struct Pair {
    WorkerNumber original = 0;
    WorkerNumber backup = 0;
  };
  std::unordered_map<TaskId, Pair, TaskHash> pairs_;
  std::unordered_map<WorkerNumber, Block> abandoned_;
};

}  // namespace brim::schedule
