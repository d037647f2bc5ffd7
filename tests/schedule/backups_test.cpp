#include <gtest/gtest.h>

#include "play.h"

// Overdue tasks that run a second time elsewhere.
namespace brim::schedule {
namespace {

/// Two workers, two tasks with resident chunks and one that reads both; task (0, 0) ends, (0, 1) is overdue.
class BackupTest : public testing::Test {
 protected:
  BackupTest() {
    graph_.add_op(2, Bytes(10'000), Bytes(8'192));
    graph_.add_op(1, Bytes(1'000));
    for (std::int64_t i = 0; i < 2; ++i) graph_.depend({1, 0}, {0, i});
    graph_.seal();
    play_.emplace(graph_, small_machine());
    auto sent = play_->send_and_settle(Begin{});
    EXPECT_EQ(sent.size(), 2u);
    if (sent[0].task.index != 0) std::swap(sent[0], sent[1]);
    first_ = sent[1];
    other_ = sent[0].worker;
    EXPECT_TRUE(play_->send_and_settle(TaskDone{other_, {0, 0}, 1.0}).empty());
  }

  ExplicitGraph graph_;
  std::optional<Play> play_;
  RunTask first_;
  WorkerNumber other_ = 0;
};

TEST_F(BackupTest, run_where_there_is_room_and_whoever_ends_first_counts) {
  play_->send(TaskOverdue{first_.worker, first_.task});
  const auto sent = play_->only<RunTask>();
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_TRUE(sent[0].backup);
  EXPECT_EQ(sent[0].task, first_.task);
  EXPECT_EQ(sent[0].worker, other_);
  EXPECT_EQ(play_->scheduler.ledger().resident, charged_block(Bytes(8'192)) * 3);
  // Told again: it has one already.
  play_->send(TaskOverdue{first_.worker, first_.task});
  EXPECT_TRUE(play_->only<RunTask>().empty());

  play_->send(TaskDone{other_, first_.task, 1.0});
  ASSERT_EQ(play_->only<KillWorker>().size(), 1u);
  EXPECT_EQ(play_->only<KillWorker>()[0].worker, first_.worker);
  ASSERT_EQ(play_->only<RunTask>().size(), 1u);
  EXPECT_EQ(play_->only<RunTask>()[0].task, (TaskId{1, 0}));
  // Its answer was on its way: it does not count.
  play_->send(TaskDone{first_.worker, first_.task, 1.0});
  EXPECT_TRUE(play_->actions.empty());
  play_->send(WorkerStopped{first_.worker});
  ASSERT_EQ(play_->only<FreeCopy>().size(), 1u);
  EXPECT_EQ(play_->only<FreeCopy>()[0].worker, first_.worker);
  play_->send_and_settle(TaskDone{other_, {1, 0}, 1.0});
  EXPECT_TRUE(play_->scheduler.finished());
  EXPECT_EQ(play_->scheduler.ledger().resident, Bytes(0));
  EXPECT_EQ(play_->scheduler.statistics().backups, 1);
}

TEST_F(BackupTest, that_are_too_late_are_ended) {
  play_->send(TaskOverdue{first_.worker, first_.task});
  play_->send(TaskDone{first_.worker, first_.task, 9.0});
  ASSERT_EQ(play_->only<KillWorker>().size(), 1u);
  EXPECT_EQ(play_->only<KillWorker>()[0].worker, other_);
  play_->send(WorkerStopped{other_});
  ASSERT_EQ(play_->only<FreeCopy>().size(), 1u);
  EXPECT_EQ(play_->only<FreeCopy>()[0].worker, other_);
}

TEST_F(BackupTest, go_on_alone_when_the_first_worker_dies) {
  play_->send(TaskOverdue{first_.worker, first_.task});
  play_->send(WorkerLost{first_.worker});
  ASSERT_EQ(play_->only<FreeCopy>().size(), 1u);
  EXPECT_TRUE(play_->only<RunTask>().empty()) << "it runs already";
  play_->send_and_settle(TaskDone{other_, first_.task, 1.0});
  EXPECT_EQ(play_->scheduler.done_count(0), 2);
}

TEST_F(BackupTest, leave_the_first_alone_when_their_worker_dies) {
  play_->send(TaskOverdue{first_.worker, first_.task});
  play_->send(WorkerLost{other_});
  ASSERT_EQ(play_->only<FreeCopy>().size(), 1u);
  EXPECT_EQ(play_->only<FreeCopy>()[0].worker, other_);
  play_->send_and_settle(TaskDone{first_.worker, first_.task, 9.0});
  EXPECT_EQ(play_->scheduler.done_count(0), 2);
}

TEST(Backups, are_not_started_while_other_tasks_could_use_the_room) {
  const auto graph = equal_tasks(10, Bytes(10'000));
  Play play(graph, small_machine());
  const auto sent = play.send_and_settle(Begin{});
  ASSERT_EQ(sent.size(), 2u);
  play.send(TaskOverdue{sent[0].worker, sent[0].task});
  EXPECT_TRUE(play.actions.empty());
  EXPECT_EQ(play.scheduler.statistics().backups, 0);
}

}  // namespace
}  // namespace brim::schedule
