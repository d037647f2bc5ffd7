#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "explicit_graph.h"
#include "implicit_graph.h"
#include "schedule/simulator.h"

namespace brim::schedule {
namespace {

constexpr Bytes kLean = Bytes(500'000'000);
constexpr Bytes kHungry = Bytes(2'000'000'000);
constexpr Bytes kFree = Bytes(16'000'000'000);

/// 16 GB for tasks, beside the coordinator and 32 idle workers; as many workers as memory allows.
SimulationOptions founding_machine() {
  SimulationOptions options;
  options.schedule.coordinator_mem = mebibytes(40);
  options.schedule.reserved_mem = mebibytes(20);
  options.schedule.budget = kFree + options.schedule.coordinator_mem + options.schedule.reserved_mem * 32;
  options.schedule.max_workers = 0;
  options.start_seconds = 0.005;
  options.stop_seconds = 0.005;
  options.trim_seconds = 0.001;
  options.message_seconds = 0.00002;
  return options;
}

TEST(Packing, TwoOpsOf500MbAnd2GbIn16GbRun32And8Wide) {
  const ImplicitGraph graph({{256, {kLean, Bytes(0)}}, {64, {kHungry, Bytes(0)}}}, kHungry);
  const auto result = simulate(graph, founding_machine());
  ASSERT_TRUE(result.finished);
  EXPECT_EQ(result.widths, (std::vector<std::int64_t>{32, 8}));
}

TEST(Packing, TheSameInTheOtherOrder) {
  const ImplicitGraph graph({{64, {kHungry, Bytes(0)}}, {256, {kLean, Bytes(0)}}}, kHungry);
  const auto result = simulate(graph, founding_machine());
  ASSERT_TRUE(result.finished);
  EXPECT_EQ(result.widths, (std::vector<std::int64_t>{8, 32}));
}

TEST(Packing, TheSameWhenEachHungryTaskWaitsForFourLeanOnes) {
  const auto graph = fan_in_graph(64, 4, {kLean, Bytes(0)}, {kHungry, Bytes(0)});
  const auto result = simulate(graph, founding_machine());
  ASSERT_TRUE(result.finished);
  EXPECT_EQ(result.widths, (std::vector<std::int64_t>{32, 8}));
}

TEST(Packing, TheSameWhenEveryHungryTaskWaitsForAllLeanOnes) {
  ImplicitGraph::Op lean{128, {kLean, Bytes(0)}};
  lean.dependents = [](std::int64_t, const VisitTask& visit) {
    for (std::int64_t i = 0; i < 32; ++i) visit({1, i});
  };
  ImplicitGraph::Op hungry{32, {kHungry, Bytes(0)}};
  hungry.dependencies = [](std::int64_t, const VisitTask& visit) {
    for (std::int64_t i = 0; i < 128; ++i) visit({0, i});
  };
  const auto result = simulate(ImplicitGraph({lean, hungry}, kHungry), founding_machine());
  ASSERT_TRUE(result.finished);
  EXPECT_EQ(result.widths, (std::vector<std::int64_t>{32, 8}));
  // Four rounds of 32 and four of 8, one second each; the rest is starting and trimming.
  EXPECT_LT(result.makespan_seconds, 8.1);
}

TEST(Packing, TheMachineIsFullDuringBothOps) {
  const ImplicitGraph graph({{320, {kLean, Bytes(0)}}, {80, {kHungry, Bytes(0)}}}, kHungry);
  const auto options = founding_machine();
  const auto result = simulate(graph, options);
  ASSERT_TRUE(result.finished);
  // Ten rounds of each.
  EXPECT_LT(result.makespan_seconds, 20.5);
  EXPECT_GT(result.memory_time.used(options.schedule.budget, result.makespan_seconds), 0.9);
  // All but the last round of each waits for memory.
  EXPECT_GT(result.memory_time.bound_seconds(), 17.0);
  EXPECT_LE(result.memory_time.bound_seconds(), result.makespan_seconds);
  EXPECT_GT(result.memory_time.bound_used(options.schedule.budget), 0.9);
}

TEST(Packing, AUniformWorkloadRunsInFullRounds) {
  const ImplicitGraph graph({{320, {kLean, Bytes(0)}}}, kLean);
  auto options = founding_machine();
  const auto adaptive = simulate(graph, options);
  options.schedule.fixed_pool = FixedPool{32, kLean};
  const auto fixed = simulate(graph, options);
  ASSERT_TRUE(adaptive.finished && fixed.finished);
  EXPECT_NEAR(adaptive.makespan_seconds, fixed.makespan_seconds, 0.1);
  EXPECT_NEAR(adaptive.makespan_seconds, 10.0, 0.1);
}

TEST(Packing, AFixedPoolForTheHungriestOpIsHalfAsFast) {
  const ImplicitGraph graph({{320, {kLean, Bytes(0)}}, {80, {kHungry, Bytes(0)}}}, kHungry);
  auto options = founding_machine();
  options.schedule.fixed_pool = FixedPool{8, kHungry};
  const auto fixed = simulate(graph, options);
  ASSERT_TRUE(fixed.finished);
  EXPECT_EQ(fixed.widths, (std::vector<std::int64_t>{8, 8}));
  EXPECT_NEAR(fixed.makespan_seconds, 50.0, 0.5);
}

TEST(Packing, WidthIsTheCoresUnlessToldOtherwise) {
  const ImplicitGraph graph({{64, {kLean, Bytes(0)}}}, kLean);
  auto options = founding_machine();
  options.schedule.cores = 4;
  options.schedule.max_workers.reset();
  EXPECT_EQ(simulate(graph, options).widths.front(), 4);
  options.schedule.max_workers = 6;
  EXPECT_EQ(simulate(graph, options).widths.front(), 6);
  options.schedule.max_workers = 0;
  EXPECT_EQ(simulate(graph, options).widths.front(), 32);
}

TEST(Packing, AnOpWithAWidthLimitKeepsItAndOthersFillTheRest) {
  const ImplicitGraph graph({{8, {kLean, Bytes(0)}, {}, {}, 1}, {56, {kLean, Bytes(0)}}}, kLean);
  auto options = founding_machine();
  options.schedule.max_workers = 8;
  const auto result = simulate(graph, options);
  ASSERT_TRUE(result.finished);
  EXPECT_EQ(result.widths, (std::vector<std::int64_t>{1, 7}));
  EXPECT_NEAR(result.makespan_seconds, 8.0, 0.1);
}

/// Tasks of random size and length, all independent: no longer than the known bound for list scheduling in memory.
TEST(Packing, IndependentTasksEndWithinTheAreaBound) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937_64 random(seed);
    const auto count = static_cast<std::int64_t>(1 + random() % 300);
    const double budget = 1'000'000;
    const double largest = budget * (0.05 + 0.75 * static_cast<double>(random() % 1000) / 1000);
    std::vector<TaskMemory> tasks;
    std::vector<double> seconds;
    double area = 0;
    double longest = 0;
    double total = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      const auto memory = static_cast<std::int64_t>(largest * static_cast<double>(random() % 1000 + 1) / 1000);
      tasks.push_back({Bytes(memory), Bytes(0)});
      seconds.push_back(0.1 + static_cast<double>(random() % 1000) / 200);
      area += static_cast<double>(memory) * seconds.back();
      longest = std::max(longest, seconds.back());
      total += seconds.back();
    }
    ExplicitGraph graph;
    graph.add_op(tasks);
    graph.seal();
    SimulationOptions options;
    options.schedule.budget = Bytes(static_cast<std::int64_t>(budget));
    options.schedule.max_workers = static_cast<std::int32_t>(4 + random() % 60);
    options.schedule.prefetch = false;
    options.duration_seconds = [&](TaskId task) { return seconds[static_cast<std::size_t>(task.index)]; };
    const auto result = simulate(graph, options);
    ASSERT_TRUE(result.finished);
    const double bound = area / (budget - largest) + total / *options.schedule.max_workers + longest;
    EXPECT_LE(result.makespan_seconds, bound * (1 + 1e-9));
  }
}

}  // namespace
}  // namespace brim::schedule
