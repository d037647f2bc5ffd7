#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <tuple>

#include "brim/brim.h"

// Histories as they are found: whole, cut off, damaged, and of something else.
namespace brim {
namespace {

namespace fs = std::filesystem;

std::string start(const std::vector<std::tuple<std::string, std::string, int>>& ops) {
  std::string text = R"({"event":"start","budget":1000,"minimum_budget":100,"total_tasks":6,"ops":[)";
  for (const auto& [name, kind, tasks] : ops) {
    if (text.back() == '}') text += ",";
    text += fmt::format(
        R"({{"name":"{}","kind":"{}","tasks":{},"width":1,"projected_mem":1,"spilled":0,"fused":[],"after":[]}})", name,
        kind, tasks);
  }
  return text + "]}";
}

const std::string kStart = start({{"synthetic", "synthetic", 4}, {"synthetic-2", "synthetic", 2}});

std::string task(const std::string& op, double cpu, double blocked, double end = 9.0) {
  return fmt::format(
      R"({{"event":"task","op":"{}","task":0,"worker":0,"threads":1,"start":1.0,"end":{},"cpu":{},"blocked":{},)"
      R"("projected_mem":50,"measured_mem":40,"resident":10,"bytes_read":3,"bytes_written":2,"minor_faults":1}})",
      op, end, cpu, blocked);
}

class HistoryTest : public testing::Test {
 protected:
  HistoryTest()
      : file_(fs::temp_directory_path() / ("brim-history-" + std::to_string(getpid()) + ".jsonl")),
        plan_(make_plan()) {}
  ~HistoryTest() override { fs::remove(file_); }

  static Plan make_plan() {
    SyntheticOptions second{.tasks = 2, .memory = mebibytes(1)};
    second.after = {synthetic({.tasks = 4, .memory = mebibytes(1)})};
    Machine machine;
    machine.budget = gibibytes(1);
    return plan(std::vector{discard(synthetic(second))}, machine);
  }

  /// Each line with its end; `cut_off` without.
  TaskTimes read(const std::vector<std::string>& lines, const std::string& cut_off = {}) const {
    std::ofstream stream(file_, std::ios::trunc);
    for (const auto& line : lines) stream << line << '\n';
    stream << cut_off;
    stream.close();
    return read_history_times(plan_, file_);
  }

  template <typename Kind>
  void expect(const std::vector<std::string>& lines, const std::string& place, const std::string& what) const {
    try {
      read(lines);
      ADD_FAILURE() << "no error: " << what;
    } catch (const Kind& error) {
      const auto& line = error.record().what;
      EXPECT_EQ(line.find(file_.string() + place), 0u) << line;
      EXPECT_NE(line.find(what), std::string::npos) << line;
      EXPECT_FALSE(error.record().hint.empty());
    }
  }

  fs::path file_;
  Plan plan_;
};

TEST_F(HistoryTest, GivesTheMeansOfEachOp) {
  const auto times =
      read({kStart, task("synthetic", 1, 0.5), R"({"event":"something new"})", task("synthetic-2", 4, 0),
            R"({"event":"notice","time":1,"text":"x"})", task("synthetic", 2, 1.5), task("assemble", 9, 9)});
  ASSERT_EQ(times.ops.size(), 2u);
  EXPECT_EQ(times.ops[0].op, "synthetic");
  EXPECT_DOUBLE_EQ(times.ops[0].cpu_seconds, 1.5);
  EXPECT_DOUBLE_EQ(times.ops[0].wait_seconds, 1.0);
  EXPECT_EQ(times.ops[0].samples, 2);
  EXPECT_EQ(times.ops[1].op, "synthetic-2");
  EXPECT_DOUBLE_EQ(times.ops[1].cpu_seconds, 4.0);
  EXPECT_DOUBLE_EQ(times.worker_start_seconds, 1.0) << "when the first task started";
}

TEST_F(HistoryTest, TheEndOfAKilledRunsHistoryMayBeCutOff) {
  const auto whole = task("synthetic", 7, 7);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const auto times = read({kStart, task("synthetic", 1, 0), task("synthetic-2", 1, 0)}, whole.substr(0, length));
    ASSERT_EQ(times.ops[0].samples, 1) << length;
  }
  EXPECT_EQ(read({kStart, task("synthetic", 1, 0), task("synthetic-2", 1, 0)}, whole).ops[0].samples, 2);
}

TEST_F(HistoryTest, DamageIsAnErrorWithItsLine) {
  expect<StorageError>({}, ":1: ", "empty");
  expect<StorageError>({"PK\x03\x04"}, ":1: ", "not JSON");
  expect<StorageError>({"[1, 2]"}, ":1: ", "not a JSON object");
  expect<StorageError>({task("synthetic", 1, 0)}, ":1: ", "begins with the plan");
  expect<StorageError>({"{}"}, ":1: ", "'event' is missing");
  expect<StorageError>({R"({"event":7})"}, ":1: ", "'event' is not text");
  expect<StorageError>({R"({"event":"start"})"}, ":1: ", "is missing");
  expect<StorageError>({start({{"synthetic", "synthetic", -4}})}, ":1: ", "'tasks'");
  expect<StorageError>({kStart, "x", task("synthetic", 1, 0)}, ":2: ", "not JSON");
  expect<StorageError>({kStart, task("synthetic", 1, 0), kStart}, ":3: ", "second run");
  expect<StorageError>({kStart, task("c", 1, 0)}, ":2: ", "op c");
  expect<StorageError>({kStart, task("synthetic", -1, 0)}, ":2: ", "'cpu'");
  expect<StorageError>({kStart, task("synthetic", 1, -1)}, ":2: ", "'blocked'");
  expect<StorageError>({kStart, R"({"event":"task","op":"synthetic"})"}, ":2: ", "is missing");
  expect<StorageError>({kStart, task("synthetic", 1, 0, 0.5)}, ":2: ", "'end' is before 'start'");
  expect<StorageError>({kStart, task("synthetic", 1, 0, 1e300)}, ":2: ", "'end'");
  EXPECT_THROW(read_history_times(plan_, "/nowhere/history.jsonl"), StorageError);
  EXPECT_THROW(read_history_times(plan_, fs::temp_directory_path()), StorageError) << "a folder";
}

TEST_F(HistoryTest, AnotherWorkloadsHistoryIsAnError) {
  expect<UsageError>({start({{"synthetic", "synthetic", 4}})}, ":1: ", "no op synthetic-2");
  expect<UsageError>({start({{"synthetic", "synthetic", 5}})}, ":1: ", "5 tasks");
  expect<UsageError>({start({{"synthetic", "traversal", 4}})}, ":1: ", "traversal");
  expect<UsageError>({kStart, task("synthetic", 1, 0)}, "", "no finished task of op synthetic-2");
}

TEST_F(HistoryTest, AHistoryThatBrimWroteIsRead) {
  const auto observer = history_file(file_);
  observer->on_start(plan_);
  TaskRecord record;
  record.cpu = std::chrono::milliseconds(1500);
  record.blocked = std::chrono::milliseconds(250);
  record.end = std::chrono::seconds(2);
  for (const auto* op : {"synthetic", "synthetic-2"}) {
    record.op = op;
    observer->on_task(record);
  }
  observer->on_finish(Report{});
  const auto times = read_history_times(plan_, file_);
  EXPECT_DOUBLE_EQ(times.ops[0].cpu_seconds, 1.5);
  EXPECT_DOUBLE_EQ(times.ops[1].wait_seconds, 0.25);
}

}  // namespace
}  // namespace brim
