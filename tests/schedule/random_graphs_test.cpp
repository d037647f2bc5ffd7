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
  for (OpIndex op = 0; op < drawn.graph.op_count(); ++op)
    drawn.graph.set_thread_limit(op, static_cast<std::int32_t>(draw(random, 1, 20)));
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
  auto options = drawn.options;
  const auto cores = std::max(options.schedule.cores, options.schedule.max_workers.value_or(0));
  if (options.schedule.max_workers != 0)
    options.watch = [cores](double, const Scheduler& scheduler) {
      std::int64_t threads = 0;
      for (const auto& task : scheduler.running()) threads += task.threads;
      ASSERT_LE(threads, cores) << "more threads than cores";
    };
  const auto result = simulate(drawn.graph, options);
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
  for (std::uint64_t seed = 1; seed <= graphs(10'000) && !HasFailure(); ++seed)
    ASSERT_NO_THROW(expect_to_finish(random_case(seed, false), seed)) << "seed " << seed;
}

TEST(RandomGraphs, FinishAlthoughWorkersDie) {
  for (std::uint64_t seed = 1; seed <= graphs(5'000) && !HasFailure(); ++seed)
    ASSERT_NO_THROW(expect_to_finish(random_case(seed, true), seed)) << "seed " << seed;
}

/// Room for a second copy beside whatever else there is.
TEST(RandomGraphs, FinishAlthoughTasksStall) {
  std::int64_t backups = 0;
  for (std::uint64_t seed = 1; seed <= graphs(5'000) && !HasFailure(); ++seed) {
    auto drawn = random_case(seed, seed % 2 == 0);
    auto& schedule = drawn.options.schedule;
    Bytes all;
    for (const auto task : drawn.graph.sequential_order())
      all +=
          charged_block(drawn.graph.memory(task).resident) + drawn.graph.memory(task).temporary + schedule.reserved_mem;
    schedule.budget += all * 3;
    schedule.max_workers = 0;
    for (OpIndex op = 0; op < drawn.graph.op_count(); ++op) drawn.graph.set_width_limit(op, 0);
    drawn.options.stall_chance = 0.1;
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const auto result = simulate(drawn.graph, drawn.options);
    EXPECT_TRUE(result.finished) << (result.failure ? result.failure->what : "");
    EXPECT_LE(result.true_peak, schedule.budget);
    backups += result.statistics.backups;
  }
  EXPECT_GT(backups, 1000);
}

Bytes largest_temporary(const ExplicitGraph& graph) {
  Bytes largest;
  for (const auto task : graph.sequential_order()) largest = std::max(largest, graph.memory(task).temporary);
  return largest;
}

TEST(RandomGraphs, FinishAlthoughTasksNeedUpToFourTimesTheirProjection) {
  for (std::uint64_t seed = 1; seed <= graphs(3'000) && !HasFailure(); ++seed) {
    auto drawn = random_case(seed, seed % 2 == 0);
    const auto& graph = drawn.graph;
    // Chunks that were made ahead before anybody knew are in the way of a larger grant: leave room for all of them.
    drawn.options.schedule.budget += largest_temporary(graph) * 3 + Bytes(65'536);
    for (const auto task : graph.sequential_order())
      drawn.options.schedule.budget += charged_block(graph.memory(task).resident);
    drawn.options.true_temporary = [&graph, seed](TaskId task) {
      const auto projected = graph.memory(task).temporary;
      const auto draw = (TaskHash()(task) ^ seed) % 40;
      return draw < 10 ? projected : Bytes(projected.count() * static_cast<std::int64_t>(draw) / 10);
    };
    drawn.options.excess_kills = seed % 4 >= 2;
    ASSERT_NO_THROW(expect_to_finish(drawn, seed)) << "seed " << seed;
  }
}

TEST(RandomGraphs, FinishWhenTheBudgetShrinksForAWhile) {
  for (std::uint64_t seed = 1; seed <= graphs(3'000) && !HasFailure(); ++seed) {
    auto drawn = random_case(seed, seed % 2 == 0);
    std::mt19937_64 random(seed);
    const auto whole = drawn.options.schedule.budget;
    for (int i = 0; i < 5; ++i)
      drawn.options.incidents.emplace_back(static_cast<double>(draw(random, 0, 60)),
                                           MemoryPressure{Bytes(draw(random, 0, whole.count()))});
    drawn.options.incidents.emplace_back(61.0, MemoryPressure{whole});
    ASSERT_NO_THROW(expect_to_finish(drawn, seed)) << "seed " << seed;
  }
}

TEST(RandomGraphs, FinishInAFixedPoolWithRoomForTheirChunks) {
  for (std::uint64_t seed = 1; seed <= graphs(3'000) && !HasFailure(); ++seed) {
    auto drawn = random_case(seed, seed % 2 == 0);
    auto& schedule = drawn.options.schedule;
    std::mt19937_64 random(seed);
    const auto workers = static_cast<std::int32_t>(draw(random, 1, 6));
    schedule.max_workers = workers;
    schedule.fixed_pool = FixedPool{workers, largest_temporary(drawn.graph)};
    schedule.budget = schedule.coordinator_mem + drawn.graph.sequential_peak() +
                      (schedule.reserved_mem + schedule.fixed_pool->grant) * workers;
    ASSERT_NO_THROW(expect_to_finish(drawn, seed)) << "seed " << seed;
  }
}

TEST(RandomGraphs, EndAtOnceWhenCancelled) {
  for (std::uint64_t seed = 1; seed <= graphs(1'000) && !HasFailure(); ++seed) {
    auto drawn = random_case(seed, true);
    std::mt19937_64 random(seed);
    const auto when = static_cast<double>(draw(random, 0, 20));
    drawn.options.incidents.emplace_back(when, Cancel{});
    double last = 0;
    drawn.options.watch = [&](double seconds, const Scheduler&) { last = seconds; };
    const auto result = simulate(drawn.graph, drawn.options);
    EXPECT_TRUE(result.cancelled != result.finished) << "seed " << seed;
    EXPECT_TRUE(result.cancelled || result.makespan_seconds <= when) << "seed " << seed;
  }
}

/// Where workers die all the time the run ends too: with an error that tells which task.
TEST(RandomGraphs, EndWithAnErrorWhereEveryWorkerDies) {
  for (std::uint64_t seed = 1; seed <= graphs(500) && !HasFailure(); ++seed) {
    auto drawn = random_case(seed, true);
    if (drawn.graph.total() == 0) continue;
    drawn.options.death_chance = 1.0;
    drawn.options.schedule.death_limit = 3;
    const auto result = simulate(drawn.graph, drawn.options);
    ASSERT_TRUE(result.failure.has_value()) << "seed " << seed;
    EXPECT_EQ(result.failure->reason, FailureReason::kWorkerDeath) << "seed " << seed;
    EXPECT_FALSE(result.finished) << "seed " << seed;
  }
}

}  // namespace
}  // namespace brim::schedule
