#include "schedule/shared_cores.h"

#include <gtest/gtest.h>

#include "play.h"
#include "schedule/simulator.h"

namespace brim::schedule {
namespace {

TEST(SharedCores, WorkersWithACoreEachDoNotSlowEachOther) {
  SharedCores cores(2);
  EXPECT_FALSE(cores.next_end());
  cores.start(1, 7, 1, 5);
  cores.start(2, 8, 1, 1);
  EXPECT_DOUBLE_EQ(cores.next_end().value(), 3.0);
  EXPECT_EQ(cores.end_next(), 8);
  EXPECT_DOUBLE_EQ(cores.next_end().value(), 6.0);
  EXPECT_EQ(cores.end_next(), 7);
  EXPECT_FALSE(cores.next_end());
}

TEST(SharedCores, MoreThreadsThanCoresShareThem) {
  SharedCores cores(1);
  cores.start(0, 1, 1, 2);
  cores.start(1, 2, 1, 2);
  // Worker 1 has one second left at 1, and gets half a core from then on.
  EXPECT_DOUBLE_EQ(cores.next_end().value(), 3.0);
  EXPECT_EQ(cores.end_next(), 1);
  // Worker 2 has done one of two seconds at 3, and is alone.
  EXPECT_DOUBLE_EQ(cores.next_end().value(), 4.0);
  EXPECT_EQ(cores.end_next(), 2);
}

TEST(SharedCores, AWorkerWithMoreThreadsGetsMore) {
  SharedCores cores(4);
  cores.start(0, 1, 6, 6);
  cores.start(0, 2, 2, 4);
  // Eight threads on four cores: each at half speed; a second for each thread of 1 takes two.
  EXPECT_DOUBLE_EQ(cores.next_end().value(), 2.0);
  EXPECT_EQ(cores.end_next(), 1);
  // 2 has done one of two seconds a thread; two threads have a core each now.
  EXPECT_DOUBLE_EQ(cores.next_end().value(), 3.0);
}

TEST(SharedCores, WaitingUsesNone) {
  // Eight tasks at once on two cores: 8 s of CPU time shared by two cores, then all wait at the same time.
  auto options = small_machine();
  options.max_workers = 0;
  options.extra_threads = false;
  SimulationOptions simulation;
  simulation.schedule = options;
  simulation.work = [](TaskId) { return TaskWork{1, 10}; };
  const auto result = simulate(equal_tasks(8, Bytes(1'000)), simulation);
  ASSERT_TRUE(result.finished);
  EXPECT_EQ(result.widths.front(), 8);
  EXPECT_NEAR(result.makespan_seconds, 14.0, 1e-9);
  EXPECT_NEAR(result.busy_seconds, 8 * 14.0, 1e-9);
}

TEST(SharedCores, ATaskThatIsAloneUsesAllCores) {
  class Wide : public ExplicitGraph {
   public:
    std::int32_t thread_limit(OpIndex /*op*/) const override { return 16; }
  } graph;
  graph.add_op(3, Bytes(7'000'000));
  graph.seal();
  SimulationOptions simulation;
  simulation.schedule = small_machine();
  simulation.schedule.cores = 8;
  simulation.work = [](TaskId) { return TaskWork{8, 0}; };
  EXPECT_NEAR(simulate(graph, simulation).makespan_seconds, 3.0, 1e-9);
}

}  // namespace
}  // namespace brim::schedule
