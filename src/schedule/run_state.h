#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <unordered_map>
#include <vector>

#include "schedule/frontier.h"
#include "schedule/lead.h"
#include "schedule/ledger.h"
#include "schedule/op_facts.h"
#include "schedule/resident_chunks.h"
#include "schedule/scheduler.h"
#include "schedule/waiting_share.h"
#include "schedule/worker_table.h"

namespace brim::schedule {

/// What went wrong with a task so far.
struct TaskHistory {
  int deaths = 0;
  int memory_failures = 0;
  int memory_kills = 0;  ///< those of them in which the kernel chose the worker: it says little of the task
  Bytes failed_grant;    ///< the largest grant that it exceeded
  bool capped = false;   ///< its wish is all there can be
};

/// Everything that the scheduler knows of a run; the parts that decide and act share it.
struct RunState {
  RunState(const TaskGraph& task_graph, const Options& run_options)
      : graph(task_graph),
        options(run_options),
        facts(facts_of(task_graph, run_options.overlap)),
        sequential_peak(run_options.overlap ? task_graph.sequential_peak() : peak_op_by_op(task_graph)),
        ledger(run_options.budget, run_options.coordinator_mem),
        workers(ledger, run_options.reserved_mem),
        frontier(task_graph, facts),
        lead(task_graph, facts),
        assigned(facts.size()),
        running(facts.size()),
        width_observed(facts.size()),
        mean_seconds(facts.size(), -1.0),
        grant_factor(facts.size(), 1.0),
        waiting(facts.size()) {}
  RunState(const RunState&) = delete;
  RunState& operator=(const RunState&) = delete;

  std::int64_t worker_limit() const {
    if (options.fixed_pool) return options.fixed_pool->workers;
    if (!options.max_workers) return options.cores + waiting.unused_cores();
    return *options.max_workers > 0 ? *options.max_workers : std::numeric_limits<std::int32_t>::max();
  }
  /// The limit that it will be when tasks of this op are all that runs.
  std::int64_t worker_limit_for(OpIndex op) const {
    if (options.fixed_pool || options.max_workers) return worker_limit();
    return std::max(worker_limit(), waiting.width_to_fill(op, options.cores));
  }
  /// Is a core left for one more task? Where tasks use several, there may be fewer tasks than workers.
  bool has_core() const { return workers.cores() < std::max<std::int64_t>(worker_limit(), options.cores); }
  int attempt(TaskId task) const {
    const auto found = history.find(task);
    return found == history.end() ? 1 : 1 + found->second.deaths + found->second.memory_failures;
  }

  /// Of a task of this op: as measured, or like the tasks of the others as long as none is done. 0: not told.
  double typical_seconds(OpIndex op) const {
    const auto own = mean_seconds[static_cast<std::size_t>(op)];
    if (own >= 0) return own;
    double sum = 0;
    double known = 0;
    for (const auto seconds : mean_seconds)
      if (seconds > 0) sum += seconds, known += 1;
    return known > 0 ? sum / known : 0;
  }

  /// The grant that a ready task asks for: more than it was projected where tasks of its op needed more.
  Bytes wish(const ReadyTask& task) const {
    const auto factor = grant_factor[static_cast<std::size_t>(task.task.op)];
    if (factor <= 1.0) return task.memory.temporary;
    const auto found = history.find(task.task);
    if (found != history.end() && found->second.capped) return task.memory.temporary;
    const auto projected = static_cast<double>(graph.memory(task.task).temporary.count());
    return std::max(task.memory.temporary, Bytes(static_cast<std::int64_t>(projected * factor)));
  }

  const TaskGraph& graph;
  const Options options;
  const std::vector<OpFacts> facts;
  const Bytes sequential_peak;
  Bytes beyond_projection;  ///< most that a task asked for beyond its projection: the sequential peak may be that wrong
  Ledger ledger;
  WorkerTable workers;
  Frontier frontier;
  Lead lead;
  ResidentChunks chunks;
  /// Per op: tasks at work, queued, or waiting for a starting worker; but not those queued in their op's lane.
  std::vector<std::int64_t> assigned;
  std::vector<std::int64_t> running;  ///< per op: tasks at work
  std::vector<std::int64_t> width_observed;
  std::vector<double> mean_seconds;  ///< per op, of recent tasks; 0: not told; less: none is done yet
  std::vector<double> grant_factor;  ///< per op: what its tasks were found to need, over what they were projected
  WaitingShare waiting;
  std::int64_t running_total = 0;
  Bytes running_grants;
  std::unordered_map<TaskId, TaskHistory, TaskHash> history;  ///< of tasks that were tried in vain
  Statistics statistics;
};

}  // namespace brim::schedule
