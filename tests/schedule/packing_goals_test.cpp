#include <gtest/gtest.h>

#include <algorithm>

#include "implicit_graph.h"
#include "schedule/lower_bound.h"
#include "schedule/simulator.h"

// The workloads that the adaptive pool is made for, on 32 cores and 64 GiB: how close it comes to what no schedule can
// beat, and how far a pool for the hungriest op stays behind.
namespace brim::schedule {
namespace {

constexpr Bytes gigabytes(double count) { return Bytes(static_cast<std::int64_t>(count * 1e9)); }

SimulationOptions large_machine(const WorkOf& work) {
  SimulationOptions options;
  options.schedule.budget = gibibytes(64);
  options.schedule.coordinator_mem = mebibytes(32);
  options.schedule.reserved_mem = mebibytes(20);
  options.schedule.cores = 32;
  options.spawn_seconds = 0.002;
  options.start_seconds = 0.005;
  options.stop_seconds = 0.005;
  options.trim_seconds = 0.001;
  options.message_seconds = 0.00002;
  options.work = work;
  return options;
}

/// Threads as the planner gives them: where memory allows fewer tasks than cores, each may use several.
class PlannedGraph : public ImplicitGraph {
 public:
  using ImplicitGraph::ImplicitGraph;
  std::int32_t thread_limit(OpIndex op) const override {
    const auto width = std::max<std::int64_t>(1, gibibytes(64) / (memory({op, 0}).temporary + mebibytes(20)));
    return static_cast<std::int32_t>(std::max<std::int64_t>(1, 32 / width));
  }
};

struct Outcome {
  double to_bound = 0;  ///< makespan over the lower bound
  double gain = 0;      ///< a fixed pool's makespan over the adaptive one's
};

Outcome run(const TaskGraph& graph, const WorkOf& work, const FixedPool& hungriest) {
  auto options = large_machine(work);
  const auto bound = lower_bound(graph, options.schedule, work);
  const auto adaptive = simulate(graph, options);
  options.schedule.fixed_pool = hungriest;
  const auto fixed = simulate(graph, options);
  EXPECT_TRUE(adaptive.finished && fixed.finished);
  return {adaptive.makespan_seconds / bound.seconds(), fixed.makespan_seconds / adaptive.makespan_seconds};
}

/// Task i of each op waits for the tasks of the op before over the same fraction.
PlannedGraph chain(const std::vector<std::pair<std::int64_t, Bytes>>& ops) {
  std::vector<ImplicitGraph::Op> made;
  for (OpIndex op = 0; op < static_cast<OpIndex>(ops.size()); ++op) {
    const auto count = ops[static_cast<std::size_t>(op)].first;
    made.push_back({count, {ops[static_cast<std::size_t>(op)].second, Bytes(0)}});
    if (op == 0) continue;
    auto& before = made[static_cast<std::size_t>(op) - 1];
    const auto share = before.count / count;
    before.dependents = [=](std::int64_t i, const VisitTask& visit) { visit({op, i / share}); };
    made.back().dependencies = [=](std::int64_t i, const VisitTask& visit) {
      for (std::int64_t j = 0; j < share; ++j) visit({op - 1, i * share + j});
    };
  }
  return {made, ops.back().second};
}

PlannedGraph founding_case() { return chain({{2560, gigabytes(2)}, {640, gigabytes(8)}}); }

PlannedGraph staircase() {
  std::vector<std::pair<std::int64_t, Bytes>> steps;
  for (int i = 0; i < 6; ++i) steps.emplace_back(2048 >> i, gigabytes(0.256 * (1 << i)));
  return chain(steps);
}

PlannedGraph two_branches() {
  return {{{160, {gigabytes(8), Bytes(0)}}, {5120, {gigabytes(0.25), Bytes(0)}}}, gigabytes(8)};
}

constexpr FixedPool kEightWorkers = {8, Bytes(8'192'000'000)};

TaskWork computing(TaskId) { return {1, 0}; }
TaskWork waiting(TaskId) { return {0.01, 1}; }

TEST(PackingGoals, ComputingTasks) {
  const auto founding = run(founding_case(), computing, kEightWorkers);
  EXPECT_LT(founding.to_bound, 1.15);
  EXPECT_GT(founding.gain, 3.0);
  const auto steps = run(staircase(), computing, kEightWorkers);
  EXPECT_LT(steps.to_bound, 1.15);
  EXPECT_GT(steps.gain, 3.0);
  const auto branches = run(two_branches(), computing, kEightWorkers);
  EXPECT_LT(branches.to_bound, 1.15);
  EXPECT_GT(branches.gain, 3.0);
}

TEST(PackingGoals, WaitingTasks) {
  const auto founding = run(founding_case(), waiting, kEightWorkers);
  EXPECT_LT(founding.to_bound, 1.15);
  EXPECT_GT(founding.gain, 2.5) << "each op has the same area: no schedule gains more than 2.68";
  const auto steps = run(staircase(), waiting, kEightWorkers);
  EXPECT_LT(steps.to_bound, 1.15);
  EXPECT_GT(steps.gain, 3.0);
  // Busy workers hold what the hungry branch left; the wide one must not wait for them one by one.
  const auto branches = run(two_branches(), waiting, kEightWorkers);
  EXPECT_LT(branches.to_bound, 1.10);
  EXPECT_GT(branches.gain, 3.0);
}

}  // namespace
}  // namespace brim::schedule
