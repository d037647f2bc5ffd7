#include <gtest/gtest.h>
#include <malloc.h>

#include <chrono>
#include <cstdio>
#include <deque>

#include "implicit_graph.h"
#include "schedule/scheduler.h"

namespace brim::schedule {
namespace {

/// Answers every action at once, first come first served: what is left is the scheduler's own cost.
std::int64_t run_at_once(Scheduler& scheduler) {
  std::deque<Event> events{Begin{}};
  std::vector<Action> actions;
  std::int64_t tasks = 0;
  while (!events.empty()) {
    const Event event = events.front();
    events.pop_front();
    actions.clear();
    scheduler.on_event(event, actions);
    for (const auto& action : actions) {
      if (const auto* start = std::get_if<StartWorker>(&action)) events.push_back(WorkerReady{start->worker});
      if (const auto* stop = std::get_if<StopWorker>(&action)) events.push_back(WorkerStopped{stop->worker});
      if (const auto* trim = std::get_if<TrimWorker>(&action))
        events.push_back(WorkerTrimmed{trim->worker, trim->keep});
      if (const auto* run = std::get_if<RunTask>(&action)) {
        events.push_back(TaskDone{run->worker, run->task});
        ++tasks;
      }
    }
  }
  return tasks;
}

Options many_workers(std::int32_t workers) {
  Options options;
  options.budget = gibibytes(64);
  options.reserved_mem = mebibytes(20);
  options.max_workers = workers;
  return options;
}

Bytes heap() { return Bytes(static_cast<std::int64_t>(mallinfo2().uordblks + mallinfo2().hblkhd)); }

void print_cost(const char* what, std::int64_t tasks, std::chrono::steady_clock::time_point start) {
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  std::printf("[   COST   ] %s: %.2f us a task\n", what, spent.count() * 1e6 / static_cast<double>(tasks));
}

TEST(Scale, TenMillionTasksTakeABitEach) {
  constexpr std::int64_t kTasks = 10'000'000;
  const ImplicitGraph graph({{kTasks, {mebibytes(100), Bytes(0)}}}, mebibytes(100));
  const auto before = heap();
  const auto start = std::chrono::steady_clock::now();
  Scheduler scheduler(graph, many_workers(32));
  EXPECT_EQ(run_at_once(scheduler), kTasks);
  const auto used = heap() - before;
  print_cost("10 million independent tasks", kTasks, start);
  std::printf("[   COST   ] heap for them: %s\n", to_string(used).c_str());
  EXPECT_TRUE(scheduler.finished());
  EXPECT_LT(used, mebibytes(5));
}

TEST(Scale, AChainOfTwoOpsOfAMillionTasksWithResidentChunks) {
  constexpr std::int64_t kTasks = 1'000'000;
  const auto graph = fan_in_graph(kTasks, 1, {mebibytes(100), mebibytes(10)}, {mebibytes(50), Bytes(0)});
  const auto start = std::chrono::steady_clock::now();
  Scheduler scheduler(graph, many_workers(32));
  EXPECT_EQ(run_at_once(scheduler), 2 * kTasks);
  print_cost("two chained ops of a million tasks", 2 * kTasks, start);
  EXPECT_LT(scheduler.statistics().resident_peak, mebibytes(10 * 100));
}

/// Tasks of a tree that all become ready at once, and are of many sizes: one chunk that everybody reads, then a
/// reduction by 16.
class TreeGraph : public ImplicitGraph {
 public:
  explicit TreeGraph(std::int64_t tasks) : ImplicitGraph(ops(tasks), mebibytes(200)) {}
  TaskMemory memory(TaskId task) const override {
    auto memory = ImplicitGraph::memory(task);
    if (task.op == 1) memory.temporary += kibibytes(task.index * 7919 % 1000);
    return memory;
  }

 private:
  static std::vector<Op> ops(std::int64_t tasks) {
    Op first{1, {mebibytes(1), mebibytes(1)}};
    first.dependents = [=](std::int64_t, const VisitTask& visit) {
      for (std::int64_t i = 0; i < tasks; ++i) visit({1, i});
    };
    Op middle{tasks, {mebibytes(100), kibibytes(4)}};
    middle.dependencies = [](std::int64_t, const VisitTask& visit) { visit({0, 0}); };
    middle.dependents = [](std::int64_t i, const VisitTask& visit) { visit({2, i / 16}); };
    Op last{tasks / 16, {mebibytes(10), Bytes(0)}};
    last.dependencies = [](std::int64_t i, const VisitTask& visit) {
      for (std::int64_t j = 0; j < 16; ++j) visit({1, i * 16 + j});
    };
    return {first, middle, last};
  }
};

void run_tree(std::int64_t ready, const char* what) {
  const TreeGraph graph(ready);
  const auto start = std::chrono::steady_clock::now();
  Scheduler scheduler(graph, many_workers(32));
  EXPECT_EQ(run_at_once(scheduler), 1 + ready + ready / 16);
  print_cost(what, 1 + ready + ready / 16, start);
}

TEST(Scale, TenThousandReadyTasksOfATreeAreNoBurden) { run_tree(10'000, "10,000 tasks ready at once"); }

TEST(Scale, NorAreAMillion) { run_tree(1'000'000, "a million tasks ready at once"); }

TEST(Scale, AThousandWorkersCostNoMoreATask) {
  constexpr std::int64_t kTasks = 200'000;
  const ImplicitGraph graph({{kTasks / 2, {mebibytes(10), Bytes(0)}}, {kTasks / 2, {mebibytes(60), Bytes(0)}}},
                            mebibytes(60));
  const auto start = std::chrono::steady_clock::now();
  Scheduler scheduler(graph, many_workers(1000));
  EXPECT_EQ(run_at_once(scheduler), kTasks);
  print_cost("a thousand workers", kTasks, start);
}

}  // namespace
}  // namespace brim::schedule
