#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "brim/error.h"
#include "play.h"
#include "schedule/scheduler.h"

namespace brim::schedule {
namespace {

using ::testing::HasSubstr;

TEST(SchedulerFaults, RunsTheTaskOfALostWorkerAgain) {
  const auto graph = equal_tasks(1, Bytes(1'000'000), Bytes(5000));
  Play play(graph, small_machine());
  play.send_and_settle(Begin{});
  play.send(WorkerLost{0});
  EXPECT_EQ(play.only<FreeChunk>().size(), 1U);
  ASSERT_EQ(play.only<StartWorker>().size(), 1U);
  EXPECT_EQ(play.only<StartWorker>()[0].worker, 1);
  play.send(WorkerReady{1});
  ASSERT_EQ(play.only<RunTask>().size(), 1U);
  EXPECT_EQ(play.only<RunTask>()[0].attempt, 2);
  EXPECT_EQ(play.scheduler.statistics().workers_lost, 1);
}

TEST(SchedulerFaults, GivesUpATaskWhoseWorkerDiesThreeTimes) {
  const auto graph = equal_tasks(1, Bytes(1'000'000));
  Play play(graph, small_machine());
  play.send(Begin{});
  for (WorkerNumber worker = 0; worker < 3; ++worker) {
    ASSERT_EQ(play.only<StartWorker>().size(), 1U);
    play.send(WorkerReady{worker});
    play.send(WorkerLost{worker});
  }
  ASSERT_EQ(play.only<Fail>().size(), 1U);
  EXPECT_EQ(play.only<Fail>()[0].reason, FailureReason::kWorkerDeath);
  EXPECT_THAT(play.only<Fail>()[0].what, HasSubstr("3 workers died"));
  EXPECT_EQ(play.only<Finish>().size(), 1U);
}

TEST(SchedulerFaults, ATaskQueuedAtALostWorkerIsNotToBlame) {
  const auto graph = equal_tasks(20, Bytes(1'000'000));
  auto options = small_machine();
  options.prefetch = true;
  options.cores = 1;
  options.death_limit = 2;
  Play play(graph, options);
  play.send_and_settle(Begin{});
  play.send(TaskDone{0, {0, 0}, 0.001});
  ASSERT_EQ(play.only<RunTask>().size(), 2U);
  play.send(WorkerLost{0});
  play.send(WorkerReady{1});
  ASSERT_EQ(play.only<RunTask>().size(), 2U);
  EXPECT_EQ(play.only<RunTask>()[0].task, (TaskId{0, 1}));
  EXPECT_EQ(play.only<RunTask>()[0].attempt, 2);
  EXPECT_EQ(play.only<RunTask>()[1].task, (TaskId{0, 2}));
  EXPECT_EQ(play.only<RunTask>()[1].attempt, 1);
}

TEST(SchedulerFaults, GivesUpWhenWorkersDieBeforeTheyAreReady) {
  const auto graph = equal_tasks(5, Bytes(1'000'000));
  auto options = small_machine();
  options.cores = 1;
  Play play(graph, options);
  play.send(Begin{});
  for (WorkerNumber worker = 0; worker < 3; ++worker) play.send(WorkerLost{worker});
  ASSERT_EQ(play.only<Fail>().size(), 1U);
  EXPECT_EQ(play.only<Fail>()[0].reason, FailureReason::kWorkerDeath);
}

TEST(SchedulerFaults, ATaskThatExceedsItsGrantGetsTwiceAsMuchAndItsOpWithIt) {
  const auto graph = equal_tasks(10, Bytes(1'000'000));
  auto options = small_machine();
  options.cores = 1;
  Play play(graph, options);
  play.send_and_settle(Begin{});
  play.send(TaskFailed{0, {0, 0}, true});
  ASSERT_EQ(play.only<RunTask>().size(), 1U);
  EXPECT_EQ(play.only<RunTask>()[0].task, (TaskId{0, 0}));
  EXPECT_EQ(play.only<RunTask>()[0].grant, Bytes(2'000'000));
  EXPECT_DOUBLE_EQ(play.scheduler.grant_factor(0), 1.0);
  play.send(TaskDone{0, {0, 0}});
  EXPECT_DOUBLE_EQ(play.scheduler.grant_factor(0), 2.0);
  ASSERT_EQ(play.only<RunTask>().size(), 1U);
  EXPECT_EQ(play.only<RunTask>()[0].grant, Bytes(2'000'000));
}

TEST(SchedulerFaults, FailsATaskThatExceedsThreeGrants) {
  const auto graph = equal_tasks(1, Bytes(1'000'000));
  Play play(graph, small_machine());
  play.send_and_settle(Begin{});
  for (const auto grant : {2'000'000, 4'000'000}) {
    play.send(TaskFailed{0, {0, 0}, true});
    ASSERT_EQ(play.only<RunTask>().size(), 1U);
    EXPECT_EQ(play.only<RunTask>()[0].grant, Bytes(grant));
  }
  play.send(TaskFailed{0, {0, 0}, true});
  ASSERT_EQ(play.only<Fail>().size(), 1U);
  EXPECT_EQ(play.only<Fail>()[0].reason, FailureReason::kMemory);
}

TEST(SchedulerFaults, AWorkerKilledForMemoryCountsAsItsTasksMemoryFailure) {
  const auto graph = equal_tasks(1, Bytes(1'000'000));
  Play play(graph, small_machine());
  play.send_and_settle(Begin{});
  WorkerNumber worker = 0;
  for (const auto grant : {2'000'000, 4'000'000}) {
    play.send_and_settle(WorkerLost{worker++, true});
    ASSERT_EQ(play.only<RunTask>().size(), 1U);
    EXPECT_EQ(play.only<RunTask>()[0].grant, Bytes(grant));
  }
  play.send(WorkerLost{worker, true});
  ASSERT_EQ(play.only<Fail>().size(), 1U);
  EXPECT_EQ(play.only<Fail>()[0].reason, FailureReason::kMemory);
}

TEST(SchedulerFaults, ATaskThatHasAllThereIsIsTriedAgainWhenItsWorkerIsKilledForMemory) {
  // 8.5 MB can be granted to one task.
  const auto graph = equal_tasks(1, Bytes(8'500'000));
  Play play(graph, small_machine());
  play.send_and_settle(Begin{});
  for (WorkerNumber worker = 0; worker < 2; ++worker) {
    play.send_and_settle(WorkerLost{worker, true});
    EXPECT_TRUE(play.only<Fail>().empty());
    ASSERT_EQ(play.only<RunTask>().size(), 1U);
    EXPECT_EQ(play.only<RunTask>()[0].grant, Bytes(8'500'000));
  }
  play.send(WorkerLost{2, true});
  ASSERT_EQ(play.only<Fail>().size(), 1U);
  EXPECT_EQ(play.only<Fail>()[0].reason, FailureReason::kWorkerDeath);
}

TEST(SchedulerFaults, ALastAttemptGetsAllThereIs) {
  // 8.5 MB can be granted to one task.
  const auto graph = equal_tasks(2, Bytes(5'000'000));
  auto options = small_machine();
  options.cores = 1;
  Play play(graph, options);
  play.send_and_settle(Begin{});
  play.send(TaskFailed{0, {0, 0}, true});
  ASSERT_EQ(play.only<RunTask>().size(), 1U);
  EXPECT_EQ(play.only<RunTask>()[0].grant, Bytes(8'500'000));
  play.send(TaskFailed{0, {0, 0}, true});
  ASSERT_EQ(play.only<Fail>().size(), 1U);
  EXPECT_EQ(play.only<Fail>()[0].reason, FailureReason::kMemory);
}

TEST(SchedulerFaults, FailsAtOnceWhenATaskFailsOnItsOwn) {
  const auto graph = equal_tasks(4, Bytes(1'000'000));
  Play play(graph, small_machine());
  play.send_and_settle(Begin{});
  play.send(TaskFailed{1, {0, 1}, false});
  ASSERT_EQ(play.only<Fail>().size(), 1U);
  EXPECT_EQ(play.only<Fail>()[0].task, (TaskId{0, 1}));
  EXPECT_EQ(play.only<Fail>()[0].reason, FailureReason::kTask);
  EXPECT_EQ(play.only<StopWorker>().size(), 2U);
  EXPECT_TRUE(play.only<RunTask>().empty());
}

TEST(SchedulerFaults, RefusesATaskThatCanNeverFitWithFigures) {
  const auto graph = equal_tasks(1, Bytes(9'000'000));
  Play play(graph, small_machine());
  play.send(Begin{});
  ASSERT_EQ(play.only<Fail>().size(), 1U);
  EXPECT_EQ(play.only<Fail>()[0].reason, FailureReason::kDoesNotFit);
  EXPECT_THAT(play.only<Fail>()[0].what, HasSubstr("needs 8.58 MiB"));
  EXPECT_TRUE(play.scheduler.finished());
}

TEST(SchedulerFaults, CancelStopsEveryWorkerAndStartsNothing) {
  const auto graph = equal_tasks(10, Bytes(1'000'000));
  Play play(graph, small_machine());
  play.send_and_settle(Begin{});
  play.send(Cancel{});
  EXPECT_EQ(play.only<StopWorker>().size(), 2U);
  play.send(TaskDone{0, {0, 0}});
  EXPECT_TRUE(play.actions.empty());
  play.send(WorkerStopped{0});
  play.send(WorkerLost{1});
  ASSERT_EQ(play.only<Finish>().size(), 1U);
  EXPECT_TRUE(play.only<Finish>()[0].cancelled);
}

TEST(SchedulerFaults, StartsNothingWhileTheLedgerIsOverAShrunkBudget) {
  const auto graph = equal_tasks(10, Bytes(3'000'000));
  Play play(graph, small_machine());
  play.send_and_settle(Begin{});
  ASSERT_EQ(play.scheduler.running_count(), 2);
  play.send(MemoryPressure{Bytes(6'000'000)});
  EXPECT_TRUE(play.actions.empty()) << "both workers are at work";
  play.send(TaskDone{0, {0, 0}});
  EXPECT_TRUE(play.only<RunTask>().empty());
  ASSERT_EQ(play.only<TrimWorker>().size(), 1U);
  play.send(WorkerTrimmed{0, play.only<TrimWorker>()[0].keep});
  EXPECT_LE(play.scheduler.ledger().total(), Bytes(6'000'000));
  EXPECT_TRUE(play.only<RunTask>().empty()) << "a second one does not fit any more";
  play.send(TaskDone{1, {0, 1}});
  EXPECT_EQ(play.only<RunTask>().size(), 1U);
  play.send(MemoryPressure{Bytes(20'000'000)});
  EXPECT_EQ(play.scheduler.ledger().budget, Bytes(10'000'000)) << "never more than the run was given";
  EXPECT_EQ(play.only<RunTask>().size(), 1U);
  EXPECT_EQ(play.scheduler.running_count(), 2);
}

TEST(SchedulerFaults, WaitsWhenTheBudgetShrinksBelowWhatTheNextTaskNeeds) {
  const auto graph = equal_tasks(2, Bytes(3'000'000));
  auto options = small_machine();
  options.cores = 1;
  Play play(graph, options);
  play.send_and_settle(Begin{});
  play.send(MemoryPressure{Bytes(2'000'000)});
  play.send(TaskDone{0, {0, 0}});
  ASSERT_EQ(play.only<TrimWorker>().size(), 1U);
  play.send(WorkerTrimmed{0, Bytes(0)});
  EXPECT_TRUE(play.scheduler.waits_for_budget());
  EXPECT_TRUE(play.only<Fail>().empty());
  play.send(MemoryPressure{Bytes(10'000'000)});
  EXPECT_FALSE(play.scheduler.waits_for_budget());
  EXPECT_EQ(play.only<RunTask>().size(), 1U);
}

TEST(SchedulerFaults, RefusesEventsThatCannotBe) {
  const auto graph = equal_tasks(3, Bytes(1'000'000));
  Play play(graph, small_machine());
  EXPECT_THROW(play.send(WorkerReady{0}), InternalError) << "before Begin";
  play.send_and_settle(Begin{});
  EXPECT_THROW(play.send(Begin{}), InternalError);
  EXPECT_THROW(play.send(WorkerReady{0}), InternalError) << "it is ready already";
  EXPECT_THROW(play.send(TaskDone{0, {0, 2}}), InternalError) << "it does not run there";
  EXPECT_THROW(play.send(WorkerLost{17}), InternalError) << "nobody knows it";
  EXPECT_THROW(play.send(WorkerTrimmed{0, Bytes(0)}), InternalError) << "nobody asked";
}

}  // namespace
}  // namespace brim::schedule
