#include <gtest/gtest.h>

#include "play.h"

// Cores that tasks share, and width beyond the cores.
namespace brim::schedule {
namespace {

/// Tasks of one op that may use up to `limit` threads.
class ThreadedGraph : public ExplicitGraph {
 public:
  explicit ThreadedGraph(std::int32_t limit) : limit_(limit) {}
  std::int32_t thread_limit(OpIndex /*op*/) const override { return limit_; }

 private:
  std::int32_t limit_;
};

ThreadedGraph tasks_of(std::int64_t count, Bytes memory, std::int32_t limit) {
  ThreadedGraph graph(limit);
  graph.add_op(count, memory);
  graph.seal();
  return graph;
}

Options machine(std::int32_t cores) {
  auto options = small_machine();
  options.cores = cores;
  return options;
}

std::int64_t threads_of(const std::vector<RunTask>& tasks) {
  std::int64_t sum = 0;
  for (const auto& task : tasks) sum += task.threads;
  return sum;
}

TEST(Threads, a_task_that_is_alone_has_all_cores) {
  const auto graph = tasks_of(3, Bytes(7'000'000), 16);
  Play play(graph, machine(8));
  const auto sent = play.send_and_settle(Begin{});
  ASSERT_EQ(sent.size(), 1u) << "memory for one";
  EXPECT_EQ(sent[0].threads, 8);
}

TEST(Threads, tasks_share_the_cores_evenly) {
  const auto graph = tasks_of(9, Bytes(2'000'000), 16);
  Play play(graph, machine(8));
  const auto sent = play.send_and_settle(Begin{});
  ASSERT_EQ(sent.size(), 3u) << "memory for three";
  for (const auto& task : sent) EXPECT_GE(task.threads, 2);
  EXPECT_EQ(threads_of(sent), 8);
}

TEST(Threads, an_op_sets_a_limit) {
  const auto graph = tasks_of(1, Bytes(7'000'000), 3);
  Play play(graph, machine(8));
  EXPECT_EQ(play.send_and_settle(Begin{}).at(0).threads, 3);
}

TEST(Threads, tasks_that_fill_the_cores_have_one_each) {
  const auto graph = tasks_of(100, Bytes(1'000), 16);
  Play play(graph, machine(4));
  const auto sent = play.send_and_settle(Begin{});
  ASSERT_EQ(sent.size(), 4u);
  EXPECT_EQ(threads_of(sent), 4);
}

TEST(Threads, nothing_starts_on_cores_that_a_task_uses) {
  // One task holds most of the memory and gets all cores; when small ones become ready they wait for cores.
  ThreadedGraph graph(16);
  graph.add_op(1, Bytes(1'000));
  graph.add_op(1, Bytes(1'000));
  graph.add_op(20, Bytes(1'000));
  for (std::int64_t i = 0; i < 20; ++i) graph.depend({2, i}, {0, 0});
  graph.seal();
  auto options = machine(4);
  Play play(graph, options);
  const auto first = play.send_and_settle(Begin{});
  ASSERT_EQ(first.size(), 2u);
  EXPECT_EQ(threads_of(first), 4);
  const auto done = first[0].task.op == 0 ? first[0] : first[1];
  const auto next = play.send_and_settle(TaskDone{done.worker, done.task, 1.0});
  EXPECT_EQ(threads_of(next), done.threads) << "exactly the cores that came free";
}

TEST(Threads, a_queued_task_inherits_the_cores_of_the_one_before_it) {
  const auto graph = tasks_of(5, Bytes(7'000'000), 16);
  auto options = machine(8);
  options.prefetch = true;
  Play play(graph, options);
  auto sent = play.send_and_settle(Begin{});
  ASSERT_EQ(sent.size(), 1u);
  for (int i = 0; i < 3; ++i) {
    const auto running = sent.front();
    sent.erase(sent.begin());
    const auto more = play.send_and_settle(TaskDone{running.worker, running.task, 0.001});
    sent.insert(sent.end(), more.begin(), more.end());
    ASSERT_FALSE(sent.empty());
    for (const auto& task : sent) EXPECT_EQ(task.threads, 8);
  }
}

TEST(Threads, fixed_pools_and_those_who_ask_for_it_have_none_extra) {
  const auto graph = tasks_of(3, Bytes(7'000'000), 16);
  auto options = machine(8);
  options.extra_threads = false;
  EXPECT_EQ(Play(graph, options).send_and_settle(Begin{}).at(0).threads, 1);
  options = machine(8);
  options.fixed_pool = FixedPool{1, Bytes(7'000'000)};
  EXPECT_EQ(Play(graph, options).send_and_settle(Begin{}).at(0).threads, 1);
}

/// Runs all tasks in the order sent, each `blocked` of its time without a core. Returns the widest.
std::int64_t widest(const TaskGraph& graph, const Options& options, double blocked) {
  Play play(graph, options);
  std::vector<RunTask> running = play.send_and_settle(Begin{});
  std::size_t most = running.size();
  while (!running.empty()) {
    const auto task = running.front();
    running.erase(running.begin());
    const auto more = play.send_and_settle(TaskDone{task.worker, task.task, 1.0, blocked});
    running.insert(running.end(), more.begin(), more.end());
    most = std::max(most, running.size());
  }
  EXPECT_TRUE(play.scheduler.finished());
  return static_cast<std::int64_t>(most);
}

TEST(Width, grows_past_the_cores_where_tasks_wait) {
  const auto graph = equal_tasks(400, Bytes(1'000));
  auto options = machine(2);
  options.budget = Bytes(100'000'000);
  EXPECT_EQ(widest(graph, options, 0.0), 2);
  EXPECT_EQ(widest(graph, options, 0.2), 2) << "so little waiting is that of work";
  EXPECT_EQ(widest(graph, options, 0.5), 4) << "half of four are at work";
  EXPECT_EQ(widest(graph, options, 0.9), 20);
  EXPECT_LE(widest(graph, options, 1.0), 40);
}

TEST(Width, stays_within_memory_and_what_was_asked_for) {
  const auto graph = equal_tasks(400, Bytes(1'000'000));
  auto options = machine(2);
  EXPECT_EQ(widest(graph, options, 0.9), 6) << "nine million for tasks of a million and workers of half of one";
  const auto small = equal_tasks(400, Bytes(1'000));
  options.max_workers = 3;
  EXPECT_EQ(widest(small, options, 0.9), 3);
}

}  // namespace
}  // namespace brim::schedule
