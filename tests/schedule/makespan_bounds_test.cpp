#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "random_graph.h"
#include "schedule/lower_bound.h"
#include "schedule/simulator.h"

// Simulated runs between what no schedule can beat and what the scheduler promises.
namespace brim::schedule {
namespace {

/// Work of every task of a graph, drawn once.
class RandomWork {
 public:
  RandomWork(const TaskGraph& graph, std::mt19937_64& random) {
    for (OpIndex op = 0; op < graph.op_count(); ++op) {
      const auto kind = draw(random, 0, 2);
      auto& tasks = work_.emplace_back();
      for (std::int64_t i = 0; i < graph.task_count(op); ++i)
        tasks.push_back({kind == 1 ? 0.0 : 0.01 * static_cast<double>(draw(random, 1, 500)),
                         kind == 0 ? 0.0 : 0.01 * static_cast<double>(draw(random, 1, 500))});
    }
  }
  TaskWork operator()(TaskId task) const {
    return work_[static_cast<std::size_t>(task.op)][static_cast<std::size_t>(task.index)];
  }

 private:
  std::vector<std::vector<TaskWork>> work_;
};

/// A graph whose tasks may use some threads.
class ThreadedGraph : public ExplicitGraph {
 public:
  ThreadedGraph(ExplicitGraph graph, std::int32_t limit) : ExplicitGraph(std::move(graph)), limit_(limit) {}
  std::int32_t thread_limit(OpIndex /*op*/) const override { return limit_; }

 private:
  std::int32_t limit_;
};

Options random_machine(std::mt19937_64& random, const TaskGraph& graph) {
  Options options;
  options.coordinator_mem = Bytes(draw(random, 0, 50'000));
  options.reserved_mem = Bytes(draw(random, 0, 10'000));
  const auto least = options.coordinator_mem + options.reserved_mem + graph.sequential_peak();
  options.budget = least + Bytes(draw(random, 0, 3) * draw(random, 0, 200'000));
  options.cores = static_cast<std::int32_t>(draw(random, 1, 16));
  if (draw(random, 0, 2) > 0) options.max_workers = static_cast<std::int32_t>(draw(random, 0, 20));
  options.extra_threads = draw(random, 0, 1) == 1;
  options.prefetch = draw(random, 0, 1) == 1;
  return options;
}

TEST(MakespanBounds, NoRunIsShorterThanTheLowerBound) {
  double closest = 1e9;
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937_64 random(seed);
    const ThreadedGraph graph(random_graph(random), static_cast<std::int32_t>(draw(random, 1, 8)));
    SimulationOptions options;
    options.schedule = random_machine(random, graph);
    options.work = RandomWork(graph, random);
    const auto bound = lower_bound(graph, options.schedule, options.work);
    const auto result = simulate(graph, options);
    ASSERT_TRUE(result.finished);
    ASSERT_GE(result.makespan_seconds, bound.seconds() * (1 - 1e-9)) << bound.binding();
    if (bound.seconds() > 0) closest = std::min(closest, result.makespan_seconds / bound.seconds());
  }
  EXPECT_LT(closest, 1.0 + 1e-9) << "the bound is reached somewhere, so that a larger one would be found out";
}

/// Independent tasks on cores of their own, some computing and some waiting.
TEST(MakespanBounds, IndependentTasksEndWithinTheUpperBound) {
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937_64 random(seed);
    ExplicitGraph graph;
    const auto largest = draw(random, 50'000, 800'000);
    for (auto ops = draw(random, 1, 4); ops > 0; --ops) {
      std::vector<TaskMemory> tasks(static_cast<std::size_t>(draw(random, 1, 120)));
      for (auto& memory : tasks) memory.temporary = Bytes(draw(random, 1, largest));
      graph.add_op(tasks);
    }
    graph.seal();
    SimulationOptions options;
    options.schedule.budget = Bytes(1'000'000);
    options.schedule.cores = static_cast<std::int32_t>(draw(random, 1, 64));
    options.schedule.max_workers = options.schedule.cores;
    options.schedule.prefetch = false;
    options.work = RandomWork(graph, random);
    const auto result = simulate(graph, options);
    ASSERT_TRUE(result.finished);
    const auto bound = lower_bound(graph, options.schedule, options.work);
    const double upper = bound.memory / (1 - static_cast<double>(largest) / 1e6) + bound.workers + bound.critical_path;
    ASSERT_LE(result.makespan_seconds, upper * (1 + 1e-9));
    ASSERT_GE(result.makespan_seconds, bound.seconds() * (1 - 1e-9));
  }
}

}  // namespace
}  // namespace brim::schedule
