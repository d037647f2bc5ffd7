#include "schedule/lower_bound.h"

#include <gtest/gtest.h>

#include "play.h"

// Every term against a case that is worked out by hand. The machine has 9 million bytes for workers and tasks.
namespace brim::schedule {
namespace {

Options nine_million() {
  Options options;
  options.budget = Bytes(10'000'000);
  options.coordinator_mem = Bytes(1'000'000);
  options.reserved_mem = Bytes(500'000);
  options.cores = 4;
  options.extra_threads = false;
  return options;
}

WorkOf each(double cpu_seconds, double wait_seconds) {
  return [=](TaskId) { return TaskWork{cpu_seconds, wait_seconds}; };
}

TEST(LowerBound, MemoryTimesTimeCountsTasksAndTheirWorkers) {
  // 12 tasks of 1.0 and a worker of 0.5 million, 3 s each: 54 million byte seconds over 9 million bytes.
  const auto bound = lower_bound(equal_tasks(12, Bytes(1'000'000)), nine_million(), each(1, 2));
  EXPECT_DOUBLE_EQ(bound.memory, 6.0);
  EXPECT_DOUBLE_EQ(bound.cpu, 3.0);
  EXPECT_DOUBLE_EQ(bound.workers, 0.0);
  EXPECT_DOUBLE_EQ(bound.critical_path, 3.0);
  EXPECT_DOUBLE_EQ(bound.alone, 0.0);
  EXPECT_DOUBLE_EQ(bound.seconds(), 6.0);
  EXPECT_EQ(bound.binding(), "memory x time");
}

TEST(LowerBound, CpuTimeBindsTasksOfLittleMemory) {
  const auto bound = lower_bound(equal_tasks(20, Bytes(0)), nine_million(), each(2, 0));
  EXPECT_DOUBLE_EQ(bound.cpu, 10.0);
  EXPECT_EQ(bound.binding(), "CPU time");
}

TEST(LowerBound, AllTimeCountsWhereWorkersAreLimited) {
  auto options = nine_million();
  options.max_workers = 3;
  const auto bound = lower_bound(equal_tasks(6, Bytes(0)), options, each(1, 9));
  EXPECT_DOUBLE_EQ(bound.workers, 20.0);
  EXPECT_EQ(bound.binding(), "time / workers");
  options.max_workers = 0;
  EXPECT_DOUBLE_EQ(lower_bound(equal_tasks(6, Bytes(0)), options, each(1, 9)).workers, 0.0) << "0 is no limit";
}

TEST(LowerBound, TheCriticalPathIsTheLongestChain) {
  ExplicitGraph graph;
  graph.add_op(2, Bytes(0));
  graph.add_op(2, Bytes(0));
  graph.add_op(1, Bytes(0));
  graph.depend({1, 0}, {0, 0});
  graph.depend({1, 1}, {0, 0});
  graph.depend({1, 1}, {0, 1});
  graph.depend({2, 0}, {1, 0});
  graph.seal();
  // Chains: (0,0) (1,0) (2,0) = 1 + 2 + 4; (0,1) (1,1) = 7 + 3.
  const auto work = [](TaskId task) {
    const double seconds = task.op == 2 ? 4 : task.op == 1 ? 2.0 + static_cast<double>(task.index) : task.index * 6 + 1;
    return TaskWork{seconds, 0};
  };
  const auto bound = lower_bound(graph, nine_million(), work);
  EXPECT_DOUBLE_EQ(bound.critical_path, 10.0);
  EXPECT_EQ(bound.binding(), "critical path");
}

TEST(LowerBound, NoTwoTasksOverHalfRunTogether) {
  // 4.1 million and a worker of 0.5: more than half of 9. Of 4.0 two would fit.
  const auto bound = lower_bound(equal_tasks(5, Bytes(4'100'000)), nine_million(), each(0, 2));
  EXPECT_DOUBLE_EQ(bound.alone, 10.0);
  EXPECT_EQ(bound.binding(), "tasks over half");
  EXPECT_DOUBLE_EQ(lower_bound(equal_tasks(5, Bytes(4'000'000)), nine_million(), each(0, 2)).alone, 0.0);
}

TEST(LowerBound, AChunkCountsUntilTheLongestTaskThatReadsItHasEnded) {
  auto options = nine_million();
  options.reserved_mem = Bytes(0);
  ExplicitGraph graph;
  graph.add_op(1, Bytes(0), Bytes(3'000'000));
  graph.add_op(2, Bytes(0));
  graph.depend({1, 0}, {0, 0});
  graph.depend({1, 1}, {0, 0});
  graph.seal();
  // 3 million for its own second and the five of the longest reader.
  const auto work = [](TaskId task) { return TaskWork{0, task.op == 0 ? 1.0 : 4.0 + static_cast<double>(task.index)}; };
  EXPECT_DOUBLE_EQ(lower_bound(graph, options, work).memory, 2.0);
}

/// Tasks that may use 8 threads.
class WideGraph : public ExplicitGraph {
 public:
  std::int32_t thread_limit(OpIndex /*op*/) const override { return 8; }
};

TEST(LowerBound, ThreadsMakeATaskShorterUpToTheCores) {
  WideGraph graph;
  graph.add_op(1, Bytes(0));
  graph.seal();
  auto options = nine_million();
  EXPECT_DOUBLE_EQ(lower_bound(graph, options, each(8, 1)).critical_path, 9.0) << "without extra threads";
  options.extra_threads = true;
  const auto bound = lower_bound(graph, options, each(8, 1));
  EXPECT_DOUBLE_EQ(bound.critical_path, 3.0) << "four cores";
  EXPECT_DOUBLE_EQ(bound.cpu, 2.0) << "the CPU time is the same";
}

TEST(LowerBound, AnEmptyGraphTakesNoTime) {
  ExplicitGraph graph;
  graph.seal();
  EXPECT_EQ(lower_bound(graph, nine_million(), each(1, 1)).seconds(), 0.0);
}

}  // namespace
}  // namespace brim::schedule
