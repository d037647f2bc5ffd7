#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <queue>
#include <random>
#include <unordered_map>
#include <variant>
#include <vector>

#include "schedule/events.h"
#include "schedule/op_facts.h"
#include "schedule/shared_cores.h"
#include "schedule/simulator.h"

namespace brim::schedule {

/// Block memory as the arena keeps it, told by sizes alone.
class SimulatedArena {
 public:
  void allocate(TaskId task, Bytes size);
  void free(TaskId task);
  void release_cached(Bytes wanted);
  bool holds(TaskId task) const { return blocks_.contains(task); }
  Bytes granted() const { return granted_; }
  Bytes cached() const { return cached_; }

 private:
  std::unordered_map<TaskId, Bytes, TaskHash> blocks_;
  std::deque<Bytes> cache_;  ///< oldest first
  Bytes granted_;
  Bytes cached_;
};

/// Processes and memory with a virtual clock: carries out actions and tells what happens, when it happens.
class SimulatedMachine {
 public:
  SimulatedMachine(const TaskGraph& graph, const std::vector<OpFacts>& facts, const SimulationOptions& options);

  void carry_out(const Action& action);
  /// Lets time pass to the next event. Nothing when no event will ever come.
  std::optional<Event> next_event();

  double now() const { return now_; }
  /// All that is held now, counted from what processes and blocks do.
  Bytes held() const { return options_.schedule.coordinator_mem + workers_held_ + arena_.granted() + arena_.cached(); }
  const SimulatedArena& arena() const { return arena_; }
  double last_end() const { return last_end_; }
  double busy_seconds() const { return busy_seconds_; }
  std::int64_t tasks_run() const { return tasks_run_; }
  bool saw_finish() const { return saw_finish_; }
  bool was_cancelled() const { return was_cancelled_; }
  const std::optional<Fail>& failure() const { return failure_; }

 private:
  using Message = std::variant<RunTask, TrimWorker, StopWorker>;
  /// How a task goes that a worker has begun.
  struct Attempt {
    double start = 0;
    double wait_seconds = 0;  ///< after its CPU time
    Event event;              ///< what comes of it
  };
  struct Process {
    Bytes held;
    bool occupied = true;  ///< starting, or at work on a message
    std::optional<TaskId> stalled;
    std::deque<Message> inbox;
    std::optional<Attempt> attempt;  ///< when that is a task
  };
  struct Arrival {
    WorkerNumber worker;
    Message message;
  };
  /// A worker ends what it was at, and tells.
  struct StepEnd {
    WorkerNumber worker;
    Event event;
  };
  /// Time to tell that a worker is still at this task.
  struct Look {
    WorkerNumber worker;
    TaskId task;
  };
  using What = std::variant<Event, Arrival, StepEnd, Look>;
  struct Moment {
    double time;
    std::uint64_t number;  ///< first come, first served
    What what;
    friend bool operator>(const Moment& a, const Moment& b) {
      return a.time != b.time ? a.time > b.time : a.number > b.number;
    }
  };

  void carry(const StartWorker& action);
  void carry(const StopWorker& action);
  void carry(const KillWorker& action);
  void carry(const TrimWorker& action);
  void carry(const RunTask& action);
  void carry(const FreeChunk& action);
  void carry(const FreeCopy& action);
  void carry(const ReleaseCached& action);
  void carry(const Finish& action);
  void carry(const Fail& action);

  void work(WorkerNumber worker);
  void step(WorkerNumber worker, const RunTask& message);
  void step(WorkerNumber worker, const TrimWorker& message);
  void step(WorkerNumber worker, const StopWorker& message);
  TaskWork work_of(TaskId task) const;
  void end_cpu(WorkerNumber worker);
  void end(StepEnd step);
  void set_held(Process& process, Bytes held);
  void after(double seconds, What what);
  void check_inputs(TaskId task) const;
  double chance();

  const TaskGraph& graph_;
  const std::vector<OpFacts>& facts_;
  const SimulationOptions& options_;
  std::mt19937_64 random_;
  std::priority_queue<Moment, std::vector<Moment>, std::greater<>> moments_;
  std::uint64_t next_number_ = 0;
  double now_ = 0;
  double last_spawn_ = 0;  ///< when the coordinator has spawned the last worker that it is to start
  SharedCores cores_;
  std::map<WorkerNumber, Process> processes_;
  SimulatedArena arena_;
  Bytes workers_held_;
  TaskBits done_;
  std::unordered_map<TaskId, std::vector<TaskId>, TaskHash> copies_;  ///< names of the blocks of second copies
  std::int64_t next_copy_ = 0;
  double last_end_ = 0;
  double busy_seconds_ = 0;
  std::int64_t tasks_run_ = 0;
  bool saw_finish_ = false;
  bool was_cancelled_ = false;
  std::optional<Fail> failure_;
};

}  // namespace brim::schedule
