#include "schedule/op_facts.h"

#include <gtest/gtest.h>

#include "explicit_graph.h"
#include "implicit_graph.h"
#include "random_graph.h"
#include "schedule/ledger.h"
#include "schedule/simulator.h"

namespace brim::schedule {
namespace {

constexpr Bytes kPage = kibibytes(4);

TEST(OpFacts, OpByOpEveryOpIsARootInOpOrder) {
  const auto graph = fan_in_graph(2, 3, {kPage, kPage}, {kPage, Bytes(0)});
  EXPECT_EQ(sequential_entries(facts_of(graph)), (std::vector<OpIndex>{1, 0}));
  EXPECT_EQ(sequential_entries(facts_of(graph, false)), (std::vector<OpIndex>{0, 1}));
  EXPECT_EQ(root_count(facts_of(graph)), 1U);
  EXPECT_EQ(root_count(facts_of(graph, false)), 2U);
}

TEST(OpFacts, OpByOpHoldsAllChunksOfAnOpUntilTheLastOpThatReadsThem) {
  // Six chunks of one page; then two tasks that need ten pages and read them.
  const auto graph = fan_in_graph(2, 3, {kPage * 2, kPage}, {kPage * 10, Bytes(0)});
  EXPECT_EQ(peak_op_by_op(graph), kPage * 16);
}

TEST(OpFacts, ChunksThatAreReadLaterAreHeldOverTheOpsBetween) {
  ExplicitGraph graph;
  graph.add_op({{kPage, kPage * 3}, {kPage, kPage * 3}});
  graph.add_op({{kPage * 5, Bytes(0)}});
  graph.add_op({{kPage, Bytes(0)}});
  graph.depend({2, 0}, {0, 0});
  graph.depend({2, 0}, {0, 1});
  graph.seal();
  EXPECT_EQ(peak_op_by_op(graph), kPage * 11);
}

/// Without overlap in the smallest budget that holds the chunks, or a larger one.
void expect_op_by_op(std::uint64_t seed) {
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  const auto graph = random_graph(random);
  SimulationOptions options;
  auto& schedule = options.schedule;
  schedule.overlap = false;
  schedule.coordinator_mem = Bytes(draw(random, 0, 10'000));
  schedule.reserved_mem = Bytes(draw(random, 0, 20'000));
  schedule.budget = schedule.coordinator_mem + schedule.reserved_mem + peak_op_by_op(graph) +
                    Bytes(draw(random, 0, 1) == 0 ? 0 : draw(random, 0, 1'000'000));
  schedule.cores = static_cast<std::int32_t>(draw(random, 1, 16));
  schedule.prefetch = draw(random, 0, 1) == 0;
  options.duration_seconds = [seed](TaskId task) { return 1.0 + static_cast<double>((TaskHash()(task) ^ seed) % 7); };
  options.watch = [&](double, const Scheduler& scheduler) {
    for (const auto& running : scheduler.running())
      for (OpIndex before = 0; before < running.task.op; ++before)
        ASSERT_EQ(scheduler.done_count(before), graph.task_count(before)) << "ops overlap";
  };
  const auto result = simulate(graph, options);
  EXPECT_TRUE(result.finished) << (result.failure ? result.failure->what : "");
  EXPECT_LE(result.statistics.ledger_peak, schedule.budget);
}

TEST(OpFacts, WithoutOverlapRandomGraphsRunOpByOpWithinTheirBudget) {
  for (std::uint64_t seed = 1; seed <= graphs(2'000) && !testing::Test::HasFailure(); ++seed)
    ASSERT_NO_THROW(expect_op_by_op(seed)) << "seed " << seed;
}

TEST(OpFacts, WithoutOverlapChunksThatDoNotFitAtOnceFailTheRun) {
  const auto graph = fan_in_graph(2, 3, {kPage, kPage * 4}, {kPage, Bytes(0)});
  SimulationOptions options;
  options.schedule.overlap = false;
  options.schedule.budget = kPage * 20;
  const auto result = simulate(graph, options);
  EXPECT_FALSE(result.finished);
  ASSERT_TRUE(result.failure.has_value());
  EXPECT_EQ(result.failure->reason, FailureReason::kDoesNotFit);
  options.schedule.overlap = true;
  EXPECT_TRUE(simulate(graph, options).finished);
}

}  // namespace
}  // namespace brim::schedule
