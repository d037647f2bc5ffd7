#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "schedule/op_facts.h"
#include "schedule/sequential_walk.h"

namespace brim::schedule {

/// A task whose dependencies are done. Smaller `order` goes first.
struct ReadyTask {
  std::uint64_t order = 0;
  TaskId task;
  TaskMemory memory;  ///< temporary: the grant it asks for, more than its projection after a failure for memory
};

/// The part of the graph that the run has come to: a window of tasks in sequential order for every root op, from which
/// tasks become ready. Tasks behind the windows cost nothing but a bit, tasks before them a bit; so a run of millions
/// of tasks holds a few hundred records.
///
/// Looking ahead in sequential order, and not from producers to consumers, brings up what the next results need,
/// whatever the shape of the dependencies: chunks are made in the order they are consumed, however far apart
/// their indices are.
class Frontier {
 public:
  /// Borrows both.
  Frontier(const TaskGraph& graph, const std::vector<OpFacts>& facts);
  Frontier(const TaskGraph& graph, std::vector<OpFacts>&& facts) = delete;

  /// Brings up tasks until `target` of each root op are ready or the windows are as long as they may be.
  void look_ahead(std::int64_t target);
  /// Before all else: a task that an earlier run has done.
  void skip(TaskId task);
  /// Tasks that waited for this one alone become ready.
  void on_done(TaskId task);
  /// A task that was taken is ready again.
  void put_back(const ReadyTask& task);
  ReadyTask take(TaskId task);
  const ReadyTask* find_ready(TaskId task) const;

  /// Ready tasks are grouped by op and size class; only the first of each group is a candidate. The candidate of the
  /// smallest order that is at least `order`.
  const ReadyTask* find_candidate(std::uint64_t order) const;

  std::int64_t ready_count() const { return static_cast<std::int64_t>(ready_.size()); }
  const TaskBits& done() const { return done_; }
  std::int64_t done_count() const { return done_count_; }
  std::int64_t done_count(OpIndex op) const { return done_by_op_[static_cast<std::size_t>(op)]; }
  bool all_done() const { return done_count_ == task_count_; }
  /// Tasks that became ready since the last call, for the guard against tasks that can never run.
  std::vector<ReadyTask> take_news() { return std::exchange(news_, {}); }

 private:
  /// The look ahead from one op.
  struct Strand {
    SequentialWalk walk;
    std::int64_t ready = 0;
    std::int64_t waiting_edges = 0;
    std::uint64_t next_order = 0;
  };
  struct Waiting {
    std::uint64_t order = 0;
    TaskId task;
    std::int64_t unmet = 0;
  };
  struct Edge {
    std::uint32_t waiting = 0;
    std::int64_t next = -1;
  };
  using Group = std::map<std::uint64_t, ReadyTask>;
  struct Place {
    std::size_t group;
    std::uint64_t order;
  };

  void look_ahead(std::size_t strand, std::int64_t target);
  void bring_up(std::size_t strand, TaskId task, std::span<const TaskId> dependencies);
  void wait_for(std::uint32_t waiting, TaskId dependency);
  void make_ready(std::uint64_t order, TaskId task);
  void insert(const ReadyTask& task);
  std::size_t group_of(const ReadyTask& task);
  Strand& strand_of(std::uint64_t order);

  const TaskGraph* graph_;
  std::size_t root_count_;
  std::vector<Strand> strands_;
  TaskBits seen_;
  TaskBits done_;
  std::vector<std::int64_t> done_by_op_;
  std::int64_t done_count_ = 0;
  std::int64_t task_count_ = 0;

  std::vector<Waiting> waiting_;
  std::vector<std::uint32_t> free_waiting_;
  std::vector<Edge> edges_;
  std::vector<std::int64_t> free_edges_;
  std::unordered_map<TaskId, std::int64_t, TaskHash> first_edge_;  ///< by the task waited for

  std::vector<Group> groups_;
  std::unordered_map<std::uint64_t, std::size_t> group_by_key_;
  std::set<std::pair<std::uint64_t, std::size_t>> candidates_;  ///< order of each group's first task, group
  std::unordered_map<TaskId, Place, TaskHash> ready_;
  std::vector<ReadyTask> news_;
};

}  // namespace brim::schedule
