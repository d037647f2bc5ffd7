#include "brim/executor.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "brim/brim.h"

// Real runs in real worker processes.
namespace brim {
namespace {

namespace fs = std::filesystem;

class ExecutorTest : public testing::Test {
 protected:
  ExecutorTest() : folder_(fs::temp_directory_path() / ("brim-executor-" + std::to_string(getpid()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~ExecutorTest() override { fs::remove_all(folder_); }

  std::string address(const std::string& file) const { return (folder_ / file).string() + ":/x"; }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_)) names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }

  fs::path folder_;
};

double first_value(const Values& values) {
  double value = 0;
  std::memcpy(&value, values.bytes.data(), sizeof value);
  return value;
}

/// Counts what it is told.
struct Witness final : Observer {
  void on_start(const Plan&) override { ++starts; }
  void on_task(const TaskRecord& task) override {
    tasks.insert({task.op, task.task});
    ++task_count;
    EXPECT_LE(task.start, task.end);
    EXPECT_LE(task.measured_mem, task.projected_mem) << task.op << " with " << task.threads << " threads";
    most_threads = std::max(most_threads, task.threads);
  }
  void on_state(const RunState& state) override {
    ++states;
    EXPECT_LE(state.held, state.budget);
    EXPECT_LE(state.tasks_done, state.tasks_total);
  }
  void on_finish(const Report&) override { ++finishes; }

  std::set<std::pair<std::string, std::int64_t>> tasks;
  int task_count = 0;
  int most_threads = 0;
  int starts = 0;
  int states = 0;
  int finishes = 0;
};

TEST_F(ExecutorTest, the_answer_is_the_arithmetic_series) {
  const auto total = sum(arange(100'000, std::nullopt, 1, {.chunks = Shape{1000}}));
  Executor().run(plan(store(total, address("sum.h5"))));
  const auto values = read(address("sum.h5"));
  ASSERT_EQ(values.dtype, DType::kInt64);
  std::int64_t found = 0;
  std::memcpy(&found, values.bytes.data(), sizeof found);
  EXPECT_EQ(found, 99'999LL * 50'000);
}

TEST_F(ExecutorTest, observers_see_every_task_once) {
  const auto witness = std::make_shared<Witness>();
  const auto mean_of_squares = mean(square(arange(10'000.0, std::nullopt, 1, {.chunks = Shape{100}})));
  const auto made = plan(store(mean_of_squares, address("mean.h5")));
  const auto report = Executor({.observers = {witness}}).run(made);
  EXPECT_EQ(witness->starts, 1);
  EXPECT_EQ(witness->finishes, 1);
  EXPECT_EQ(witness->task_count, made.total_tasks());
  EXPECT_EQ(static_cast<std::int64_t>(witness->tasks.size()), made.total_tasks());
  EXPECT_EQ(report.tasks, made.total_tasks());
  EXPECT_LE(report.peak_held, made.budget());
}

TEST_F(ExecutorTest, the_history_is_json_and_complete) {
  const auto path = (folder_ / "history.jsonl").string();
  const auto work = synthetic({.tasks = 20, .memory = mebibytes(1)});
  Executor({.observers = {history_file(path)}}).run(plan(discard(work)));
  std::ifstream stream(path);
  int tasks = 0;
  std::vector<std::string> events;
  for (std::string line; std::getline(stream, line);) {
    const auto json = nlohmann::json::parse(line);
    events.push_back(json["event"]);
    if (json["event"] != "task") continue;
    ++tasks;
    for (const auto* key :
         {"op", "worker", "start", "end", "projected_mem", "measured_mem", "bytes_read", "minor_faults"})
      EXPECT_TRUE(json.contains(key)) << key;
  }
  EXPECT_EQ(tasks, 20);
  EXPECT_EQ(events.front(), "start");
  EXPECT_EQ(events.back(), "finish");
}

TEST_F(ExecutorTest, the_founding_case_at_a_twentieth_runs_8_and_2_wide) {
  // A quarter of the workers and a fifth of the memory each; the waits make sure that all that fit meet.
  const auto lean = synthetic({.tasks = 16, .memory = parse_bytes("100MB"), .wait_nanoseconds = 300'000'000});
  const auto hungry =
      synthetic({.tasks = 4, .memory = parse_bytes("400MB"), .wait_nanoseconds = 300'000'000, .after = {lean}});
  const auto made = plan(discard(hungry), {.task_memory = parse_bytes("800MB"), .workers = 0});
  const auto report = Executor().run(made);
  ASSERT_EQ(report.ops.size(), 2u);
  EXPECT_EQ(report.ops[0].width_planned, 8);
  EXPECT_EQ(report.ops[0].width_observed, 8);
  EXPECT_EQ(report.ops[1].width_planned, 2);
  EXPECT_EQ(report.ops[1].width_observed, 2);
  EXPECT_LE(report.peak_held, made.budget());
}

TEST_F(ExecutorTest, op_by_op_no_task_starts_before_the_op_before_it_is_done) {
  const auto first = synthetic({.tasks = 9, .memory = mebibytes(1), .wait_nanoseconds = 5'000'000});
  const auto second = synthetic({.tasks = 9, .memory = mebibytes(1), .wait_nanoseconds = 5'000'000, .after = {first}});
  const auto made = plan(discard(second), {.workers = 4});
  const auto report = Executor({.overlap = false}).run(made);
  EXPECT_EQ(report.tasks, 18);
  EXPECT_GE(report.ops[1].first_start, report.ops[0].last_end);
}

TEST_F(ExecutorTest, op_by_op_gives_the_same_values_where_the_chunks_between_fit) {
  const auto x = arange(1000.0, std::nullopt, 1, {.chunks = Shape{10}});
  const auto made = plan(store(sum(sqrt(x)), address("x.h5")));
  Executor().run(made);
  const auto overlapping = read(address("x.h5"));
  Executor({.overlap = false}).run(made);
  EXPECT_EQ(read(address("x.h5")).bytes, overlapping.bytes);
}

TEST_F(ExecutorTest, work_that_is_declared_at_half_its_memory_is_retried_with_more) {
  const auto work = synthetic({.tasks = 12, .memory = mebibytes(40), .touched = mebibytes(80)});
  const auto made = plan(discard(work), {.task_memory = mebibytes(200), .workers = 2});
  const auto report = Executor().run(made);
  EXPECT_EQ(report.tasks, 12);
  EXPECT_GE(report.retries, 1);
  // Those that run or wait at a worker when the first one fails, and perhaps one more of each: then the op is known.
  EXPECT_LE(report.retries, 6);
  EXPECT_GE(report.ops[0].measured_mem, mebibytes(80));
  EXPECT_LE(report.peak_held, made.budget());
}

TEST_F(ExecutorTest, the_report_tells_when_memory_was_the_bottleneck) {
  const auto work = synthetic({.tasks = 12, .memory = mebibytes(20), .wait_nanoseconds = 20'000'000});
  const auto scarce = Executor().run(plan(discard(work), {.task_memory = mebibytes(41), .workers = 8}));
  EXPECT_GT(scarce.memory_bound, std::chrono::milliseconds(0));
  EXPECT_LE(scarce.memory_bound, scarce.wall);
  EXPECT_GT(scarce.memory_bound_used, 0);
  EXPECT_LE(scarce.memory_bound_used, 1);
  EXPECT_GE(scarce.resizes, scarce.workers_started);
  EXPECT_GT(scarce.resize_time, std::chrono::nanoseconds(0));
  const auto ample = Executor().run(plan(discard(work), {.task_memory = mebibytes(400), .workers = 2}));
  EXPECT_EQ(ample.memory_bound, std::chrono::nanoseconds(0));
}

TEST_F(ExecutorTest, a_fixed_pool_gives_the_same_values) {
  const auto x = arange(1000.0, std::nullopt, 1, {.chunks = Shape{10}});
  const auto output = store(sum(sqrt(x)), address("x.h5"));
  const auto made = plan(output);
  Executor().run(made);
  const auto adaptive = read(address("x.h5"));
  Executor({.fixed_workers = 3, .fixed_task_memory = mebibytes(16)}).run(made);
  EXPECT_EQ(read(address("x.h5")).bytes, adaptive.bytes);
}

/// Values of a file are computed with one thread a task and with as many as eight cores allow; the same must come out.
TEST_F(ExecutorTest, threads_change_no_value) {
  const auto x = arange(600'001.0, std::nullopt, 1, {.chunks = Shape{150'000}});
  const auto row = index(sin(x), {NewAxis{}, Slice{}});
  const auto column = index(arange(12.0), {Slice{}, NewAxis{}});
  Executor().run(plan(std::vector{store(sqrt(x), address("in.h5")),
                                  store(row * column, address("in2.h5"), {.chunks = Shape{5, 70'000}, .deflate = 1})}));
  const auto a = open(address("in.h5"));
  const auto b = open(address("in2.h5"));
  auto machine = this_machine();
  machine.cores = 8;
  const auto run = [&](const std::string& file, bool threads) {
    const auto made =
        plan(std::vector{store(exp(a / 1000) + a, address(file + "1")),
                         store(b * 2 + 1, address(file + "2"), {.chunks = Shape{12, 600'001}}),
                         store(mean(cos(b), {.axis = std::vector{0}}), address(file + "3")),
                         store(sum(cos(b) * b), address(file + "4")), store(sum(a * a), address(file + "5"))},
             machine, {.workers = 2});
    std::int64_t most = 0;
    for (const auto& op : made.ops()) most = std::max(most, op.threads);
    EXPECT_GE(most, 4);
    const auto witness = std::make_shared<Witness>();
    Executor({.observers = {witness}, .extra_threads = threads}).run(made);
    EXPECT_EQ(witness->most_threads > 1, threads);
  };
  run("plain", false);
  run("shared", true);
  for (const auto* output : {"1", "2", "3", "4", "5"}) {
    const auto plain = read(address("plain" + std::string(output)));
    EXPECT_FALSE(plain.bytes.empty());
    EXPECT_EQ(plain.bytes, read(address("shared" + std::string(output))).bytes) << "output " << output;
  }
}

TEST_F(ExecutorTest, spilled_chunks_give_the_same_values) {
  const auto x = exp(sin(arange(2'000'000.0, std::nullopt, 1, {.chunks = Shape{60'000}})));
  const auto output = [&](const std::string& file) { return store(x - mean(x) + min(x), address(file)); };
  const auto kept = plan(output("kept.h5"));
  EXPECT_EQ(kept.total_spilled(), Bytes(0));
  Executor().run(kept);
  // The smallest budget that spills: a little above, then at it.
  const auto spills = [&](Bytes budget) {
    return plan(output("spilled.h5"), {.memory = budget}).total_spilled() > Bytes(0);
  };
  auto low = kept.minimum_budget();
  auto high = kept.minimum_budget() + mebibytes(16);
  while (!spills(low) && low < high) low += kibibytes(256);
  ASSERT_TRUE(spills(low)) << "no budget makes it spill";
  for (const auto budget : {low, low + mebibytes(2)}) {
    const auto witness = std::make_shared<Witness>();
    Executor({.observers = {witness}}).run(plan(output("spilled.h5"), {.memory = budget}));
    EXPECT_EQ(read(address("spilled.h5")).bytes, read(address("kept.h5")).bytes);
  }
  EXPECT_EQ(files(), (std::vector<std::string>{"kept.h5", "spilled.h5"}));
}

TEST_F(ExecutorTest, cancelled_runs_leave_nothing) {
  const auto work = synthetic({.tasks = 100, .wait_nanoseconds = 1'000'000'000});
  const auto x = arange(1000.0, std::nullopt, 1, {.chunks = Shape{10}});
  Executor executor;
  // Cancelled from another thread once it is under way, or before: both end the same.
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    executor.cancel();
  });
  EXPECT_THROW(executor.run(plan({store(x, address("x.h5")), discard(work)})), Cancelled);
  other.join();
  EXPECT_TRUE(files().empty());
  // The executor is good for another run.
  executor.run(plan(store(x, address("x.h5"))));
  EXPECT_EQ(files(), std::vector<std::string>{"x.h5"});
}

TEST_F(ExecutorTest, a_cancel_before_the_run_stops_that_run_and_no_other) {
  const auto made = plan(store(arange(1000.0, std::nullopt, 1, {.chunks = Shape{10}}), address("x.h5")));
  Executor executor;
  executor.cancel();
  EXPECT_THROW(executor.run(made), Cancelled);
  EXPECT_TRUE(files().empty());
  executor.run(made);
  EXPECT_EQ(files(), std::vector<std::string>{"x.h5"});
}

TEST_F(ExecutorTest, executors_in_two_threads_do_not_disturb_each_other) {
  const auto run = [&](const std::string& file, double factor) {
    const auto x = arange(2000.0, std::nullopt, 1, {.chunks = Shape{20}});
    Executor().run(plan(store(sum(x * factor), address(file))));
  };
  std::thread first(run, "a.h5", 1.0);
  std::thread second(run, "b.h5", 2.0);
  first.join();
  second.join();
  EXPECT_EQ(first_value(read(address("a.h5"))), 1999.0 * 1000);
  EXPECT_EQ(first_value(read(address("b.h5"))), 1999.0 * 2000);
}

TEST_F(ExecutorTest, the_smallest_budget_runs_with_one_worker) {
  const auto x = arange(100'000.0, std::nullopt, 1, {.chunks = Shape{5000}});
  const auto output = store(mean(exp(sin(x))), address("x.h5"));
  const auto minimum = plan(output).minimum_budget();
  const auto report = Executor().run(plan(output, {.memory = minimum}));
  EXPECT_EQ(report.workers_started, 1);
  EXPECT_LE(report.peak_held, minimum);
}

TEST_F(ExecutorTest, a_budget_beyond_the_machine_is_refused) {
  const auto made = plan(store(arange(10), address("x.h5")), {.memory = memory_available_now() * 2});
  EXPECT_THROW(Executor().run(made), MemoryError);
  EXPECT_TRUE(files().empty());
}

TEST_F(ExecutorTest, outputs_may_share_a_file_with_their_input_but_not_a_data_set) {
  Executor().run(plan(store(arange(10.0), address("x.h5"))));
  const auto x = open(address("x.h5"));
  EXPECT_THROW(plan(store(x + 1, address("x.h5"))), UsageError);
  EXPECT_THROW(plan(store(x + 1, (folder_ / "." / "x.h5").string() + ":/x")), UsageError);
  Executor().run(plan(store(sum(x), (folder_ / "x.h5").string() + ":/total")));
  EXPECT_EQ(first_value(read((folder_ / "x.h5").string() + ":/total")), 45);
  EXPECT_EQ(read(address("x.h5")).shape, Shape{10});
}

TEST_F(ExecutorTest, results_that_go_nowhere_are_refused) {
  EXPECT_THROW(plan(store(arange(10), (folder_ / "no" / "such" / "folder.h5").string())), UsageError);
  EXPECT_THROW(Executor().run(plan(store(arange(10), (folder_ / "none" / "x.h5").string() + ":/x"))), StorageError);
  EXPECT_TRUE(files().empty());
}

}  // namespace
}  // namespace brim
