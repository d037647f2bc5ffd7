#include "schedule/lower_bound.h"

#include <algorithm>
#include <array>
#include <vector>

#include "schedule/op_facts.h"

namespace brim {
namespace {

struct Term {
  double seconds;
  std::string_view name;
};

std::array<Term, 5> terms(const LowerBound& bound) {
  return {{{bound.memory, "memory x time"},
           {bound.cpu, "CPU time"},
           {bound.workers, "time / workers"},
           {bound.critical_path, "critical path"},
           {bound.alone, "tasks over half"}}};
}

Term largest(const LowerBound& bound) {
  const auto all = terms(bound);
  return *std::max_element(all.begin(), all.end(), [](const Term& a, const Term& b) { return a.seconds < b.seconds; });
}

}  // namespace

double LowerBound::seconds() const { return largest(*this).seconds; }

std::string_view LowerBound::binding() const { return largest(*this).name; }

}  // namespace brim

namespace brim::schedule {
namespace {

double number(Bytes bytes) { return static_cast<double>(bytes.count()); }

/// Goes through all tasks in topological order and adds up what the terms are made of.
class WorkSum {
 public:
  WorkSum(const TaskGraph& graph, const Options& machine, const WorkOf& work)
      : graph_(graph),
        machine_(machine),
        work_(work),
        facts_(facts_of(graph)),
        room_(machine.budget - machine.coordinator_mem),
        chains_(facts_.size()) {}

  LowerBound find() {
    for (std::size_t op = 0; op < facts_.size(); ++op) add_op(static_cast<OpIndex>(op));
    add_waiting_chunks();
    LowerBound bound;
    bound.memory = memory_seconds_ / std::max(number(room_), 1.0);
    bound.cpu = cpu_seconds_ / machine_.cores;
    const auto workers = machine_.max_workers.value_or(0);
    bound.workers = workers > 0 ? task_seconds_ / workers : 0;
    bound.critical_path = critical_path_;
    bound.alone = alone_seconds_;
    return bound;
  }

 private:
  /// Of one task that others wait for.
  struct Chain {
    double seconds = 0;    ///< from the start of the run to its end, at least
    double dependent = 0;  ///< the longest task that waits for it
  };

  void add_op(OpIndex op) {
    const auto& facts = facts_[static_cast<std::size_t>(op)];
    const auto threads = machine_.extra_threads ? std::clamp(facts.thread_limit, 1, machine_.cores) : 1;
    auto& chains = chains_[static_cast<std::size_t>(op)];
    if (facts.has_dependents) chains.resize(static_cast<std::size_t>(facts.task_count));
    for (std::int64_t index = 0; index < facts.task_count; ++index) {
      const TaskId task{op, index};
      const auto work = work_(task);
      const auto seconds = work.cpu_seconds / threads + work.wait_seconds;
      add_task(task, work, seconds);
      const auto end = seconds + (facts.has_dependencies ? longest_before(task, seconds) : 0.0);
      critical_path_ = std::max(critical_path_, end);
      if (facts.has_dependents) chains[static_cast<std::size_t>(index)].seconds = end;
    }
  }

  void add_task(TaskId task, const TaskWork& work, double seconds) {
    const auto memory = graph_.memory(task);
    const auto held = memory.temporary + memory.resident + machine_.reserved_mem;
    memory_seconds_ += number(held) * seconds;
    cpu_seconds_ += work.cpu_seconds;
    task_seconds_ += seconds;
    if (held * 2 > room_) alone_seconds_ += seconds;
  }

  double longest_before(TaskId task, double seconds) {
    double longest = 0;
    graph_.visit_dependencies(task, [&](TaskId dependency) {
      auto& chain = chains_[static_cast<std::size_t>(dependency.op)][static_cast<std::size_t>(dependency.index)];
      longest = std::max(longest, chain.seconds);
      chain.dependent = std::max(chain.dependent, seconds);
    });
    return longest;
  }

  /// A chunk lives on until the last task that reads it has ended.
  void add_waiting_chunks() {
    for (std::size_t op = 0; op < chains_.size(); ++op)
      for (std::size_t index = 0; index < chains_[op].size(); ++index)
        memory_seconds_ +=
            number(graph_.memory({static_cast<OpIndex>(op), static_cast<std::int64_t>(index)}).resident) *
            chains_[op][index].dependent;
  }

  const TaskGraph& graph_;
  const Options& machine_;
  const WorkOf& work_;
  const std::vector<OpFacts> facts_;
  const Bytes room_;  ///< for workers, tasks and chunks
  std::vector<std::vector<Chain>> chains_;
  double memory_seconds_ = 0;
  double cpu_seconds_ = 0;
  double task_seconds_ = 0;
  double alone_seconds_ = 0;
  double critical_path_ = 0;
};

}  // namespace

LowerBound lower_bound(const TaskGraph& graph, const Options& machine, const WorkOf& work) {
  return WorkSum(graph, machine, work).find();
}

}  // namespace brim::schedule
