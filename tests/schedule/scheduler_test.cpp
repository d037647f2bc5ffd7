#include "schedule/scheduler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "play.h"

namespace brim::schedule {
namespace {

using ::testing::HasSubstr;

TEST(Scheduler, StartsAWorkerForEveryTaskThatFitsAndRunsItThere) {
  const auto graph = equal_tasks(3, Bytes(1'000'000));
  Play play(graph, small_machine());
  play.send(Begin{});
  ASSERT_EQ(play.only<StartWorker>().size(), 2U);
  EXPECT_TRUE(play.only<RunTask>().empty());
  EXPECT_EQ(play.scheduler.ledger().reserved, Bytes(1'000'000));
  EXPECT_EQ(play.scheduler.ledger().held, Bytes(2'000'000));
  play.send(WorkerReady{0});
  ASSERT_EQ(play.only<RunTask>().size(), 1U);
  EXPECT_EQ(play.only<RunTask>()[0].task, (TaskId{0, 0}));
  EXPECT_EQ(play.only<RunTask>()[0].grant, Bytes(1'000'000));
  EXPECT_EQ(play.scheduler.running_count(), 1);
}

TEST(Scheduler, AGraphWithoutTasksIsDoneAtOnce) {
  const auto graph = equal_tasks(0, Bytes(1));
  Play play(graph, small_machine());
  play.send(Begin{});
  ASSERT_EQ(play.only<Finish>().size(), 1U);
  EXPECT_TRUE(play.scheduler.finished());
}

TEST(Scheduler, FinishesWhenAllIsDoneAndTheWorkersAreGone) {
  const auto graph = equal_tasks(1, Bytes(1'000'000));
  Play play(graph, small_machine());
  play.send_and_settle(Begin{});
  play.send(TaskDone{0, {0, 0}});
  EXPECT_EQ(play.only<StopWorker>().size(), 1U);
  EXPECT_TRUE(play.only<Finish>().empty());
  play.send(WorkerStopped{0});
  ASSERT_EQ(play.only<Finish>().size(), 1U);
  EXPECT_FALSE(play.only<Finish>()[0].cancelled);
  EXPECT_EQ(play.scheduler.ledger().total(), Bytes(1'000'000));
}

TEST(Scheduler, FreesAChunkWhenItsLastReaderIsDone) {
  ExplicitGraph graph;
  graph.add_op(1, Bytes(1000), Bytes(5000));
  graph.add_op(2, Bytes(1000));
  graph.depend({1, 0}, {0, 0});
  graph.depend({1, 1}, {0, 0});
  graph.seal();
  Play play(graph, small_machine());
  play.send_and_settle(Begin{});
  EXPECT_EQ(play.scheduler.ledger().resident, Bytes(8192));
  play.send(TaskDone{0, {0, 0}});
  EXPECT_EQ(play.only<RunTask>().size(), 1U);
  play.send(WorkerReady{1});
  play.send(TaskDone{0, {1, 0}});
  EXPECT_TRUE(play.only<FreeChunk>().empty());
  play.send(TaskDone{1, {1, 1}});
  ASSERT_EQ(play.only<FreeChunk>().size(), 1U);
  EXPECT_EQ(play.only<FreeChunk>()[0].task, (TaskId{0, 0}));
}

TEST(Scheduler, QueuesTheNextTaskBehindAShortOne) {
  const auto graph = equal_tasks(20, Bytes(1'000'000));
  auto options = small_machine();
  options.prefetch = true;
  Play play(graph, options);
  EXPECT_EQ(play.send_and_settle(Begin{}).size(), 2U) << "nothing is known of their length yet";
  play.send(TaskDone{0, {0, 0}, 0.001});
  EXPECT_EQ(play.only<RunTask>().size(), 3U) << "one for the idle worker, one behind each";
  EXPECT_EQ(play.scheduler.running_count(), 2);
  EXPECT_EQ(play.scheduler.ledger().held, Bytes(2'000'000));
}

TEST(Scheduler, QueuesNothingBehindALongTask) {
  const auto graph = equal_tasks(20, Bytes(1'000'000));
  auto options = small_machine();
  options.prefetch = true;
  Play play(graph, options);
  play.send_and_settle(Begin{});
  play.send(TaskDone{0, {0, 0}, 2.0});
  EXPECT_EQ(play.only<RunTask>().size(), 1U);
}

TEST(Scheduler, KeepsALimitedOpBusyInOneLane) {
  ExplicitGraph graph;
  graph.add_op(std::vector<TaskMemory>(20, {Bytes(1000), Bytes(0)}), 1);
  graph.seal();
  auto options = small_machine();
  options.prefetch = true;
  Play play(graph, options);
  play.send_and_settle(Begin{});
  play.send(TaskDone{0, {0, 0}, 0.001});
  ASSERT_EQ(play.only<RunTask>().size(), 2U);
  EXPECT_EQ(play.only<RunTask>()[0].worker, play.only<RunTask>()[1].worker);
  play.send(TaskDone{0, {0, 1}, 0.001});
  EXPECT_EQ(play.only<RunTask>().size(), 1U);
  EXPECT_EQ(play.scheduler.width_observed(0), 1);
}

TEST(Scheduler, TrimsIdleWorkersForAHungryTaskAndStopsThemOnlyForTheirReservedMemory) {
  ExplicitGraph graph;
  graph.add_op(2, Bytes(3'000'000));
  graph.add_op(1, Bytes(7'900'000));
  graph.depend({1, 0}, {0, 0});
  graph.depend({1, 0}, {0, 1});
  graph.seal();
  Play play(graph, small_machine());
  play.send_and_settle(Begin{});
  play.send(TaskDone{0, {0, 0}});
  play.send(TaskDone{1, {0, 1}});
  ASSERT_EQ(play.only<TrimWorker>().size(), 1U) << "7.9 of the 8 MB beside two idle workers";
  EXPECT_TRUE(play.only<StopWorker>().empty());
  play.send(WorkerTrimmed{play.only<TrimWorker>()[0].worker, play.only<TrimWorker>()[0].keep});
  EXPECT_EQ(play.only<RunTask>().size(), 1U);

  ExplicitGraph larger;
  larger.add_op(2, Bytes(3'000'000));
  larger.add_op(1, Bytes(8'300'000));
  larger.depend({1, 0}, {0, 0});
  larger.depend({1, 0}, {0, 1});
  larger.seal();
  Play second(larger, small_machine());
  second.send_and_settle(Begin{});
  second.send(TaskDone{0, {0, 0}});
  second.send(TaskDone{1, {0, 1}});
  ASSERT_EQ(second.only<StopWorker>().size(), 1U);
  second.send(WorkerStopped{second.only<StopWorker>()[0].worker});
  EXPECT_EQ(second.only<RunTask>().size(), 1U);
}

TEST(Scheduler, ReplacesAWorkerThatKeepsMemoryInSpiteOfATrim) {
  ExplicitGraph graph;
  graph.add_op(1, Bytes(6'000'000));
  graph.add_op(1, Bytes(100'000), Bytes(5'000'000));
  graph.depend({1, 0}, {0, 0});
  graph.seal();
  auto options = small_machine();
  options.cores = 1;
  Play play(graph, options);
  play.send_and_settle(Begin{});
  play.send(TaskDone{0, {0, 0}});
  ASSERT_EQ(play.only<TrimWorker>().size(), 1U);
  play.send(WorkerTrimmed{0, Bytes(5'900'000)});
  ASSERT_EQ(play.only<StopWorker>().size(), 1U);
  play.send(WorkerStopped{0});
  EXPECT_EQ(play.only<StartWorker>().size(), 1U);
}

TEST(Scheduler, ReleasesCachedBlocksBeforeATaskIsSent) {
  ExplicitGraph graph;
  graph.add_op(1, Bytes(100'000), Bytes(4'096'000));
  graph.add_op(1, Bytes(100'000));
  graph.add_op(1, Bytes(100'000), Bytes(6'144'000));
  graph.depend({1, 0}, {0, 0});
  graph.depend({2, 0}, {1, 0});
  graph.seal();
  auto options = small_machine();
  options.cores = 1;
  Play play(graph, options);
  play.send_and_settle(Begin{});
  play.send(TaskDone{0, {0, 0}});
  play.send(TaskDone{0, {1, 0}});
  ASSERT_EQ(play.actions.size(), 3U);
  EXPECT_TRUE(std::holds_alternative<FreeChunk>(play.actions[0]));
  EXPECT_TRUE(std::holds_alternative<ReleaseCached>(play.actions[1]));
  EXPECT_TRUE(std::holds_alternative<RunTask>(play.actions[2]));
  EXPECT_EQ(play.scheduler.ledger().cached, Bytes(0));
}

TEST(Scheduler, ReusesTheCachedBlockOfTheRightSizeAndReleasesNothing) {
  ExplicitGraph graph;
  graph.add_op(2, Bytes(100'000), Bytes(4'096'000));
  graph.add_op(2, Bytes(2'000'000));
  graph.depend({1, 0}, {0, 0});
  graph.depend({1, 1}, {0, 1});
  graph.seal();
  auto options = small_machine();
  options.cores = 1;
  Play play(graph, options);
  play.send_and_settle(Begin{});
  play.send(TaskDone{0, {0, 0}});
  play.send(TaskDone{0, {1, 0}});
  ASSERT_EQ(play.only<RunTask>().size(), 1U);
  EXPECT_EQ(play.only<RunTask>()[0].resident, Bytes(4'096'000));
  EXPECT_TRUE(play.only<ReleaseCached>().empty());
  EXPECT_EQ(play.scheduler.ledger().resident, Bytes(4'096'000));
  EXPECT_EQ(play.scheduler.ledger().cached, Bytes(0));
}

TEST(Scheduler, ABusyWorkerGivesBackWhatItsTaskCannotUseWhenAnotherTaskWaitsForIt) {
  // Worker 0 keeps 6 MB from its first task and runs a small one when a task of 4 MB becomes ready.
  ExplicitGraph graph;
  graph.add_op(std::vector<TaskMemory>{{Bytes(6'000'000), {}}, {Bytes(100'000), {}}});
  graph.add_op(1, Bytes(100'000));
  graph.add_op(1, Bytes(4'000'000));
  graph.depend({1, 0}, {0, 0});
  graph.depend({2, 0}, {0, 1});
  graph.seal();
  Play play(graph, small_machine());
  play.send_and_settle(Begin{});
  play.send(TaskDone{0, {0, 0}});
  ASSERT_EQ(play.only<RunTask>().size(), 1U);
  EXPECT_TRUE(play.only<TrimWorker>().empty()) << "nobody needs it yet";
  play.send(TaskDone{1, {0, 1}});
  ASSERT_EQ(play.only<TrimWorker>().size(), 1U);
  EXPECT_EQ(play.only<TrimWorker>()[0].worker, 0);
  EXPECT_GE(play.only<TrimWorker>()[0].keep, Bytes(100'000));
  play.send(WorkerTrimmed{0, play.only<TrimWorker>()[0].keep});
  EXPECT_EQ(play.only<RunTask>().size(), 1U);
}

TEST(Scheduler, AFixedPoolStartsAllItsWorkersAndKeepsThem) {
  ExplicitGraph graph;
  graph.add_op(1, Bytes(1'000'000));
  graph.add_op(4, Bytes(2'000'000));
  graph.seal();
  auto options = small_machine();
  options.fixed_pool = FixedPool{3, Bytes(2'000'000)};
  Play play(graph, options);
  play.send(Begin{});
  EXPECT_EQ(play.only<StartWorker>().size(), 3U);
  EXPECT_EQ(play.scheduler.ledger().held, Bytes(6'000'000));
  for (WorkerNumber worker = 0; worker < 3; ++worker) {
    play.send(WorkerReady{worker});
    EXPECT_EQ(play.only<RunTask>().size(), 1U);
  }
  play.send(WorkerLost{1});
  EXPECT_EQ(play.only<StartWorker>().size(), 1U) << "the pool is completed again";
}

TEST(Scheduler, AFixedPoolThatIsTooSmallForATaskFailsWithFigures) {
  const auto graph = equal_tasks(1, Bytes(2'500'000));
  auto options = small_machine();
  options.fixed_pool = FixedPool{3, Bytes(2'000'000)};
  Play play(graph, options);
  play.send(Begin{});
  ASSERT_EQ(play.only<Fail>().size(), 1U);
  EXPECT_THAT(play.only<Fail>()[0].what, HasSubstr("fixed pool of 3 workers"));
}

TEST(Scheduler, AHungryTaskIsPassedNoMoreOftenThanTheLimit) {
  ExplicitGraph graph;
  graph.add_op(1, Bytes(100'000));
  graph.add_op(1, Bytes(7'000'000));
  graph.add_op(500, Bytes(1'000'000));
  graph.depend({1, 0}, {0, 0});
  graph.seal();
  auto options = small_machine();
  options.cores = 4;
  options.bypass_limit = 10;
  Play play(graph, options);
  auto running = play.send_and_settle(Begin{});
  bool ready = false;
  int passed = 0;
  for (int step = 0; step < 100; ++step) {
    ASSERT_FALSE(running.empty());
    const auto first = running.front();
    running.erase(running.begin());
    ready = ready || first.task.op == 0;
    for (const auto& run : play.send_and_settle(TaskDone{first.worker, first.task})) {
      running.push_back(run);
      if (run.task.op == 1) {
        EXPECT_EQ(passed, 10);
        return;
      }
      if (ready) ++passed;
    }
  }
  FAIL() << "the hungry task never started";
}

}  // namespace
}  // namespace brim::schedule
