#include "brim/simulate.h"

#include <gtest/gtest.h>

#include "brim/brim.h"

// Plans on machines that are made up, with a virtual clock: no worker is started.
namespace brim {
namespace {

Machine machine_of(int cores, Bytes budget) {
  Machine machine;
  machine.cores = cores;
  machine.memory_total = machine.memory_available = machine.budget = budget;
  machine.reserved_mem = mebibytes(20);
  machine.coordinator_mem = mebibytes(40);
  return machine;
}

Array tasks_of(std::int64_t count, Bytes memory, double cpu, double wait) {
  SyntheticOptions options;
  options.tasks = count;
  options.memory = memory;
  options.cpu_nanoseconds = static_cast<std::int64_t>(cpu * 1e9);
  options.wait_nanoseconds = static_cast<std::int64_t>(wait * 1e9);
  return synthetic(options);
}

Plan plan_of(const Array& array, int cores, Bytes budget, const PlanOptions& options = {}) {
  return plan(std::vector{discard(array)}, machine_of(cores, budget), options);
}

SimulateOptions without_delays(const Plan& plan) {
  SimulateOptions options;
  options.times = estimate_times(plan);
  options.times->worker_start_seconds = 0;
  options.worker_spawn_seconds = 0;
  options.message_seconds = 0;
  return options;
}

TEST(Simulate, TasksThatFitRunInRoundsAsWideAsTheCores) {
  const auto plan = plan_of(tasks_of(256, mebibytes(100), 1, 0), 64, gibibytes(512));
  const auto run = simulate(plan, without_delays(plan));
  EXPECT_NEAR(run.makespan_seconds, 4.0, 1e-6);
  EXPECT_EQ(run.tasks, 256);
  ASSERT_EQ(run.ops.size(), 1u);
  EXPECT_EQ(run.ops[0].width, 64);
  EXPECT_EQ(run.workers_peak, 64);
  EXPECT_LE(run.peak_held, gibibytes(512));
}

TEST(Simulate, WorkThatIsDeclaredAtHalfItsMemoryIsRetriedAndThenGrantedAll) {
  SyntheticOptions options{.tasks = 64, .memory = mebibytes(100), .touched = mebibytes(200)};
  options.cpu_nanoseconds = 1'000'000'000;
  const auto plan = plan_of(synthetic(options), 8, gibibytes(2));
  const auto run = simulate(plan, without_delays(plan));
  EXPECT_GE(run.retries, 1);
  EXPECT_LE(run.retries, 16);
  // Eight rounds of eight, and one or two in vain.
  EXPECT_LE(run.makespan_seconds, 10.0 + 1e-6);
  EXPECT_LE(run.peak_held, gibibytes(2));
}

TEST(Simulate, OpByOpWaitsForTheLastTaskOfEachOp) {
  // Two ops of nine tasks of one second on four cores: three rounds each, or five together.
  const std::vector outputs = {discard(tasks_of(9, mebibytes(1), 1, 0)), discard(tasks_of(9, mebibytes(1), 1, 0))};
  const auto plan = brim::plan(outputs, machine_of(4, gibibytes(8)));
  auto options = without_delays(plan);
  options.extra_threads = false;
  EXPECT_NEAR(simulate(plan, options).makespan_seconds, 5.0, 1e-6);
  options.overlap = false;
  EXPECT_NEAR(simulate(plan, options).makespan_seconds, 6.0, 1e-6);
}

TEST(Simulate, MoreWorkersThanCoresShareThem) {
  const auto plan = plan_of(tasks_of(64, mebibytes(1), 1, 2), 8, gibibytes(8), {.workers = 64});
  // 64 s of CPU time on eight cores, then all wait at once.
  EXPECT_NEAR(simulate(plan, without_delays(plan)).makespan_seconds, 10.0, 1e-6);
}

TEST(Simulate, TheCoresLimitThePoolOnlyWhereTasksCompute) {
  const auto widest = [](const Plan& plan) { return simulate(plan, without_delays(plan)).ops.at(0).width; };
  EXPECT_EQ(widest(plan_of(tasks_of(400, mebibytes(1), 1, 0), 8, gibibytes(8))), 8);
  EXPECT_EQ(widest(plan_of(tasks_of(400, mebibytes(1), 0.1, 0.9), 8, gibibytes(8))), 80);
  EXPECT_EQ(widest(plan_of(tasks_of(400, mebibytes(1), 0.1, 0.9), 8, gibibytes(8), {.workers = 8})), 8) << "as told";
}

TEST(Simulate, AHungryTaskUsesTheCoresThatMemoryLeaves) {
  const auto plan = plan_of(tasks_of(4, gibibytes(6), 8, 0), 8, gibibytes(8));
  EXPECT_NEAR(simulate(plan, without_delays(plan)).makespan_seconds, 4.0, 1e-6);
  auto options = without_delays(plan);
  options.extra_threads = false;
  EXPECT_NEAR(simulate(plan, options).makespan_seconds, 32.0, 1e-6);
}

TEST(Simulate, TheFoundingCaseIsFourTimesSlowerInAFixedPool) {
  const auto lean = tasks_of(640, Bytes(500'000'000), 1, 0);
  SyntheticOptions options;
  options.tasks = 160;
  options.memory = Bytes(2'000'000'000);
  options.cpu_nanoseconds = 1'000'000'000;
  options.after = {lean};
  const auto plan = brim::plan(std::vector{discard(synthetic(options))}, machine_of(32, gibibytes(4)),
                               {.task_memory = Bytes(16'000'000'000)});
  const auto times = estimate_times(plan);
  const auto bound = lower_bound(plan, times);
  const auto adaptive = simulate(plan, {.times = times});
  const auto each = plan.ops().back().projected_mem;
  const auto fixed = simulate(plan, {.times = times, .fixed_workers = 8, .fixed_task_memory = each});
  EXPECT_EQ(bound.binding(), "CPU time");
  EXPECT_GE(adaptive.makespan_seconds, bound.seconds());
  EXPECT_LT(adaptive.makespan_seconds, 1.15 * bound.seconds());
  EXPECT_GT(fixed.makespan_seconds, 3 * adaptive.makespan_seconds);
}

TEST(Simulate, AFixedPoolThatCannotRunThePlanIsAnError) {
  const auto plan = plan_of(tasks_of(4, gibibytes(6), 1, 0), 8, gibibytes(8));
  try {
    simulate(plan, {.fixed_workers = 2, .fixed_task_memory = gibibytes(3)});
    FAIL() << "it ran";
  } catch (const MemoryError& error) {
    EXPECT_NE(error.record().what.find("op synthetic"), std::string::npos) << error.what();
  }
}

TEST(Simulate, TimesMustBeThoseOfThePlan) {
  const auto plan = plan_of(tasks_of(4, mebibytes(1), 1, 0), 2, gibibytes(1));
  auto times = estimate_times(plan);
  times.ops.front().op = "another";
  EXPECT_THROW(simulate(plan, {.times = times}), UsageError);
  EXPECT_THROW(lower_bound(plan, {}), UsageError);
}

TEST(TaskTimes, SyntheticTasksTakeWhatTheyAreTold) {
  const auto times = estimate_times(plan_of(tasks_of(4, mebibytes(1), 0.25, 2), 2, gibibytes(1)));
  ASSERT_EQ(times.ops.size(), 1u);
  EXPECT_DOUBLE_EQ(times.ops[0].cpu_seconds, 0.25);
  EXPECT_DOUBLE_EQ(times.ops[0].wait_seconds, 2.0);
  EXPECT_EQ(times.ops[0].samples, 0);
}

/// Ten chunks of a million elements and an eleventh of half a million, each written: 8 and 4 million bytes.
Plan ragged_plan(int cores = 1) {
  const auto series = arange(10'500'000, std::nullopt, 1, {.chunks = Shape{1'000'000}});
  return plan(std::vector{store(series, "/nowhere/ragged.h5:/x")}, machine_of(cores, gibibytes(4)));
}

TEST(TaskTimes, OtherTasksTakeTheTimeOfTheirBytes) {
  const auto plan = ragged_plan();
  const auto times = estimate_times(plan, Bytes(8'000'000));
  ASSERT_EQ(times.ops.size(), 1u);
  EXPECT_NEAR(times.ops[0].cpu_seconds, 10.5 / 11, 1e-9);
  EXPECT_NEAR(simulate(plan, without_delays(plan)).makespan_seconds, 84e6 / (256 << 20), 1e-6);
  EXPECT_NEAR(lower_bound(plan, times).cpu, 10.5, 1e-9) << "the last chunk is half as large";
  EXPECT_NEAR(lower_bound(ragged_plan(11), times).critical_path, 1.0, 1e-9);
  EXPECT_THROW(estimate_times(plan, Bytes(0)), UsageError);
}

TEST(TaskTimes, MeasuredTasksGiveTheMean) {
  const auto plan = ragged_plan();
  TaskRecord record;
  record.op = plan.ops().front().name;
  record.cpu = std::chrono::seconds(1);
  record.blocked = std::chrono::seconds(3);
  auto other = record;
  record.start = std::chrono::seconds(5);
  other.cpu = std::chrono::seconds(2);
  other.start = std::chrono::milliseconds(30);
  const auto times = measured_times(plan, {record, other});
  ASSERT_EQ(times.ops.size(), 1u);
  EXPECT_DOUBLE_EQ(times.ops[0].cpu_seconds, 1.5);
  EXPECT_DOUBLE_EQ(times.ops[0].wait_seconds, 3.0);
  EXPECT_EQ(times.ops[0].samples, 2);
  EXPECT_DOUBLE_EQ(times.worker_start_seconds, 0.03) << "the first task's";
  EXPECT_THROW(measured_times(plan, {}), UsageError);
}

TEST(TaskTimes, FewerCombineTasksHaveAsMuchMoreToDo) {
  // The mean of an op depends on its fan-in; the work of all its tasks does not.
  const auto total = sum(arange(64'000, std::nullopt, 1, {.chunks = Shape{1'000}}));
  const auto plan = brim::plan(std::vector{store(total, "/nowhere/sum.h5:/x")}, machine_of(4, gibibytes(1)));
  const auto rows = plan.ops();
  ASSERT_GT(rows.size(), 1u);
  std::vector<TaskRecord> records;
  for (const auto& row : rows)
    for (std::int64_t task = 0; task < row.tasks; ++task) {
      records.emplace_back().op = row.name;
      records.back().cpu = std::chrono::seconds(1);
    }
  const auto times = measured_times(plan, records);
  double all = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) all += times.ops[i].cpu_seconds * static_cast<double>(rows[i].tasks);
  EXPECT_DOUBLE_EQ(all, static_cast<double>(plan.total_tasks()));
  EXPECT_NEAR(lower_bound(plan, times).cpu * 4, all, 1e-6) << "chunks are alike: no task is scaled";
}

}  // namespace
}  // namespace brim
