#include <gtest/gtest.h>

#include "random_graph.h"
#include "schedule/simulator.h"

namespace brim::schedule {
namespace {

struct Case {
  ExplicitGraph graph;
  SimulationOptions options;
};

void add_faults(std::mt19937_64& random, SimulationOptions& options) {
  options.death_chance = draw(random, 0, 1) == 0 ? 0.05 : 0.0;
  options.start_death_chance = draw(random, 0, 3) == 0 ? 0.05 : 0.0;
  options.schedule.death_limit = 30;
  options.untrimmable = Bytes(draw(random, 0, 2) == 0 ? draw(random, 0, 5'000) : 0);
}

Case random_case(std::uint64_t seed, bool faults) {
  std::mt19937_64 random(seed);
  Case drawn{random_graph(random), {}};
  auto& schedule = drawn.options.schedule;
  schedule.coordinator_mem = Bytes(draw(random, 0, 10'000));
  schedule.reserved_mem = Bytes(draw(random, 0, 20'000));
  const auto least = schedule.coordinator_mem + schedule.reserved_mem + drawn.graph.sequential_peak();
  const auto spare = draw(random, 0, 2) == 0 ? 0 : draw(random, 0, draw(random, 0, 1) == 0 ? 20'000 : 1'000'000);
  schedule.budget = least + Bytes(spare);
  schedule.cores = static_cast<std::int32_t>(draw(random, 1, 16));
  if (draw(random, 0, 1) == 0) schedule.max_workers = static_cast<std::int32_t>(draw(random, 0, 8));
  schedule.prefetch = draw(random, 0, 1) == 0;
  schedule.prefetch_limit_seconds = draw(random, 0, 1) == 0 ? 1.1 : 1e9;
  schedule.bypass_limit = static_cast<int>(draw(random, 0, 20));
  drawn.options.seed = random();
  const auto slow = draw(random, 1, 20);
  drawn.options.duration_seconds = [slow, seed](TaskId task) {
    const auto mixed = TaskHash()(task) ^ seed;
    return 1.0 + static_cast<double>(mixed % 7) * (mixed % 5 == 0 ? static_cast<double>(slow) : 0.1);
  };
  drawn.options.start_seconds = draw(random, 0, 1) == 0 ? 0.3 : 0.0;
  drawn.options.trim_seconds = draw(random, 0, 1) == 0 ? 0.1 : 0.0;
  drawn.options.stop_seconds = draw(random, 0, 1) == 0 ? 0.2 : 0.0;
  drawn.options.message_seconds = draw(random, 0, 1) == 0 ? 0.01 : 0.0;
  if (faults) add_faults(random, drawn.options);
  return drawn;
}

void expect_to_finish(const Case& drawn, std::uint64_t seed) {
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  const auto result = simulate(drawn.graph, drawn.options);
  EXPECT_TRUE(result.finished) << (result.failure ? result.failure->what : "");
  EXPECT_LE(result.statistics.ledger_peak, drawn.options.schedule.budget);
  EXPECT_LE(result.true_peak, result.statistics.ledger_peak);
  EXPECT_LE(result.statistics.bypass_peak, drawn.options.schedule.bypass_limit);
  for (OpIndex op = 0; op < drawn.graph.op_count(); ++op) {
    const auto limit = drawn.graph.width_limit(op);
    EXPECT_TRUE(limit == 0 || result.widths[static_cast<std::size_t>(op)] <= limit);
  }
  const auto limit = drawn.options.schedule.max_workers.value_or(drawn.options.schedule.cores);
  EXPECT_TRUE(limit == 0 || result.statistics.workers_peak <= limit);
}

// The simulator itself holds every step against the budget and an account of its own, that inputs are there, and that
// no task is done twice.
TEST(RandomGraphs, FinishWithinTheirBudgetFromTheSmallestOneUpwards) {
  for (std::uint64_t seed = 1; seed <= 10'000 && !HasFailure(); ++seed)
    ASSERT_NO_THROW(expect_to_finish(random_case(seed, false), seed)) << "seed " << seed;
}

TEST(RandomGraphs, FinishAlthoughWorkersDie) {
  for (std::uint64_t seed = 1; seed <= 5'000 && !HasFailure(); ++seed)
    ASSERT_NO_THROW(expect_to_finish(random_case(seed, true), seed)) << "seed " << seed;
}

}  // namespace
}  // namespace brim::schedule
