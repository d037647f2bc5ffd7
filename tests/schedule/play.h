#pragma once

#include <vector>

#include "explicit_graph.h"
#include "schedule/scheduler.h"

namespace brim::schedule {

/// A scheduler with everything that it has decided, and shorthands to look at it.
class Play {
 public:
  Play(const TaskGraph& graph, const Options& options) : scheduler(graph, options) {}

  const std::vector<Action>& send(const Event& event) {
    actions.clear();
    scheduler.on_event(event, actions);
    return actions;
  }
  template <typename T>
  std::vector<T> only() const {
    std::vector<T> found;
    for (const auto& action : actions)
      if (const auto* one = std::get_if<T>(&action)) found.push_back(*one);
    return found;
  }
  /// Sends an event and answers whatever workers are asked, until nothing is. Returns the tasks sent meanwhile.
  std::vector<RunTask> send_and_settle(const Event& event) {
    std::vector<RunTask> sent;
    std::vector<Event> answers{event};
    while (!answers.empty()) {
      send(answers.front());
      answers.erase(answers.begin());
      for (const auto& run : only<RunTask>()) sent.push_back(run);
      for (const auto& start : only<StartWorker>()) answers.emplace_back(WorkerReady{start.worker});
      for (const auto& trim : only<TrimWorker>()) answers.emplace_back(WorkerTrimmed{trim.worker, trim.keep});
      for (const auto& stop : only<StopWorker>()) answers.emplace_back(WorkerStopped{stop.worker});
    }
    return sent;
  }

  Scheduler scheduler;
  std::vector<Action> actions;
};

inline Options small_machine() {
  Options options;
  options.budget = Bytes(10'000'000);
  options.coordinator_mem = Bytes(1'000'000);
  options.reserved_mem = Bytes(500'000);
  options.cores = 2;
  options.prefetch = false;
  return options;
}

inline ExplicitGraph equal_tasks(std::int64_t count, Bytes temporary, Bytes resident = {}) {
  ExplicitGraph graph;
  graph.add_op(count, temporary, resident);
  graph.seal();
  return graph;
}

}  // namespace brim::schedule
