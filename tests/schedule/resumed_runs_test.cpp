#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "brim/error.h"
#include "play.h"
#include "random_graph.h"
#include "schedule/simulator.h"

namespace brim::schedule {
namespace {

/// A random set of tasks with everything that depends on them: what a run that was stopped may have done.
std::vector<TaskId> random_done(const ExplicitGraph& graph, std::mt19937_64& random) {
  const auto share = draw(random, 0, 10);
  std::set<TaskId> done;
  auto order = graph.sequential_order();
  std::reverse(order.begin(), order.end());
  for (const auto task : order) {
    bool free = true;
    graph.visit_dependents(task, [&](TaskId dependent) { free = free && done.contains(dependent); });
    if (free && draw(random, 1, 10) <= share) done.insert(task);
  }
  return {done.begin(), done.end()};
}

TEST(ResumedRuns, RunExactlyWhatIsMissingWithinTheSmallestBudget) {
  std::int64_t skipped = 0;
  for (std::uint64_t seed = 1; seed <= graphs(5'000) && !HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937_64 random(seed);
    const auto graph = random_graph(random);
    SimulationOptions options;
    options.schedule.cores = static_cast<std::int32_t>(draw(random, 1, 8));
    options.schedule.budget = graph.sequential_peak() + Bytes(draw(random, 0, 1) == 0 ? 0 : draw(random, 0, 100'000));
    options.done = random_done(graph, random);
    std::set<TaskId> ran;
    options.duration_seconds = [&](TaskId task) {
      EXPECT_TRUE(ran.insert(task).second) << "a task ran twice";
      return 1.0;
    };
    SimulationResult result;
    ASSERT_NO_THROW(result = simulate(graph, options));
    EXPECT_TRUE(result.finished) << (result.failure ? result.failure->what : "");
    EXPECT_EQ(result.tasks_run, graph.total() - std::ssize(options.done));
    for (const auto task : options.done) EXPECT_FALSE(ran.contains(task));
    skipped += std::ssize(options.done);
  }
  EXPECT_GT(skipped, 10'000);
}

TEST(ResumedRuns, EndAtOnceWhenAllIsDone) {
  const auto graph = equal_tasks(3, Bytes(1000));
  Play play(graph, small_machine());
  play.send(Begin{{{0, 0}, {0, 1}, {0, 2}}});
  ASSERT_EQ(play.only<Finish>().size(), 1U);
  EXPECT_TRUE(play.only<StartWorker>().empty());
}

TEST(ResumedRuns, RefuseATaskAsDoneWhoseChunkIsStillNeeded) {
  ExplicitGraph graph;
  const auto producer = graph.add_op(1, Bytes(1000), Bytes(1000));
  const auto consumer = graph.add_op(1, Bytes(1000));
  graph.depend({consumer, 0}, {producer, 0});
  graph.seal();
  Play play(graph, small_machine());
  EXPECT_THROW(play.send(Begin{{{producer, 0}}}), InternalError);
}

}  // namespace
}  // namespace brim::schedule
