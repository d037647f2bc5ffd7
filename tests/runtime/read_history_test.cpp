#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "brim/brim.h"

// Histories as they are found: whole, cut off, damaged, and of something else.
namespace brim {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStart =
    R"({"event":"start","ops":[{"name":"synthetic","kind":"synthetic","tasks":4},{"name":"synthetic-2","kind":"synthetic","tasks":2}]})";

std::string task(const std::string& op, double cpu, double blocked) {
  return R"({"event":"task","op":")" + op + R"(","task":0,"start":1.0,"end":9.0,"cpu":)" + std::to_string(cpu) +
         R"(,"blocked":)" + std::to_string(blocked) + "}";
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
  const auto times = read({kStart, task("synthetic", 1, 0.5), R"({"event":"state","time":1})",
                           task("synthetic-2", 4, 0), R"({"event":"notice","text":"x"})", task("synthetic", 2, 1.5),
                           task("assemble", 9, 9), R"({"event":"finish"})"});
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
  expect<StorageError>({"PK\x03\x04"}, ":1: ", "not a JSON object");
  expect<StorageError>({"[1, 2]"}, ":1: ", "not a JSON object");
  expect<StorageError>({task("synthetic", 1, 0)}, ":1: ", "begins with a start event");
  expect<StorageError>({"{}"}, ":1: ", "\"event\" is missing");
  expect<StorageError>({R"({"event":7})"}, ":1: ", "\"event\" is no text");
  expect<StorageError>({R"({"event":"start"})"}, ":1: ", "no list of ops");
  expect<StorageError>({R"({"event":"start","ops":[7]})"}, ":1: ", "no object");
  expect<StorageError>({R"({"event":"start","ops":[{"name":"synthetic","kind":"synthetic","tasks":-4}]})"},
                       ":1: ", "tasks");
  expect<StorageError>({kStart, "x", task("synthetic", 1, 0)}, ":2: ", "not a JSON object");
  expect<StorageError>({kStart, task("synthetic", 1, 0), kStart}, ":3: ", "second start event");
  expect<StorageError>({kStart, task("c", 1, 0)}, ":2: ", "op c");
  expect<StorageError>({kStart, task("synthetic", -1, 0)}, ":2: ", "\"cpu\"");
  expect<StorageError>({kStart, task("synthetic", 1, -1)}, ":2: ", "\"blocked\"");
  expect<StorageError>({kStart, R"({"event":"task","op":"synthetic"})"}, ":2: ", "\"start\" is missing");
  expect<StorageError>({kStart, R"({"event":"task","op":"synthetic","start":3,"end":2,"cpu":0,"blocked":0})"},
                       ":2: ", "ends before it starts");
  expect<StorageError>({kStart, R"({"event":"task","op":"synthetic","start":0,"end":1e999,"cpu":0,"blocked":0})"},
                       ":2: ", "");
  EXPECT_THROW(read_history_times(plan_, "/nowhere/history.jsonl"), StorageError);
  EXPECT_THROW(read_history_times(plan_, fs::temp_directory_path()), StorageError) << "a folder";
}

TEST_F(HistoryTest, AnotherWorkloadsHistoryIsAnError) {
  expect<UsageError>({R"({"event":"start","ops":[{"name":"synthetic","kind":"synthetic","tasks":4}]})"},
                     ":1: ", "no op synthetic-2");
  expect<UsageError>({R"({"event":"start","ops":[{"name":"synthetic","kind":"synthetic","tasks":5}]})"},
                     ":1: ", "5 tasks");
  expect<UsageError>({R"({"event":"start","ops":[{"name":"synthetic","kind":"traversal","tasks":4}]})"},
                     ":1: ", "traversal");
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
