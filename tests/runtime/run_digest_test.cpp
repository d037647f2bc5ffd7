#include "runtime/run_digest.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <numeric>

#include "brim/error.h"
#include "brim/report_page.h"

namespace brim::runtime {
namespace {

namespace fs = std::filesystem;

std::string start_line(std::int64_t tasks) {
  return fmt::format(
      R"({{"event":"start","budget":1000,"minimum_budget":100,"total_tasks":{0},"ops":[{{"name":"a","kind":"synthetic",)"
      R"("tasks":{0},"width":2,"projected_mem":50,"spilled":0,"fused":["exp"],"after":[]}}]}})",
      tasks);
}

std::string task_line(std::int64_t task, std::int64_t worker, double start, double end) {
  return fmt::format(
      R"({{"event":"task","op":"a","task":{},"worker":{},"threads":1,"start":{:.6f},"end":{:.6f},"cpu":{:.6f},"blocked":0,)"
      R"("projected_mem":50,"measured_mem":40,"resident":10,"bytes_read":3,"bytes_written":2,"minor_faults":1}})",
      task, worker, start, end, (end - start) / 2);
}

std::string state_line(double time, std::int64_t held) {
  return fmt::format(
      R"({{"event":"state","time":{:.6f},"tasks_done":0,"running":2,"workers":2,"held":{},"granted":80,"resident":20,)"
      R"("cached":5,"budget":1000}})",
      time, held);
}

std::string finish_line(std::int64_t tasks, double wall) {
  return fmt::format(
      R"({{"event":"finish","wall_seconds":{:.6f},"tasks":{},"peak_held":900,"memory_time_used":0.5,"workers_started":2,)"
      R"("workers_lost":0,"retries":0,"block_grants":0,"block_reuses":0,"ops":[{{"name":"a","width_observed":2}}]}})",
      wall, tasks);
}

class RunDigestTest : public testing::Test {
 protected:
  RunDigestTest() : path_(fs::temp_directory_path() / ("brim-digest-" + std::to_string(getpid()) + ".jsonl")) {}
  ~RunDigestTest() override { fs::remove(path_); }

  void write(const std::string& text) const { std::ofstream(path_) << text; }
  /// The message of the StorageError that the file makes.
  std::string complaint() const {
    try {
      report_page(path_.string());
    } catch (const StorageError& error) {
      return error.what();
    }
    return "none";
  }
  void write_run(std::int64_t tasks) const {
    std::ofstream stream(path_);
    stream << start_line(tasks) << '\n';
    for (std::int64_t i = 0; i < tasks; ++i) {
      const auto start = 0.01 * static_cast<double>(i / 2);
      if (i % 100 == 0) stream << state_line(start, 300 + i % 7) << '\n';
      stream << task_line(i, i % 2, start, start + 0.01) << '\n';
    }
    stream << finish_line(tasks, 0.01 * static_cast<double>(tasks / 2)) << '\n';
  }

  fs::path path_;
};

void expect_sums(const RunDigest& digest, std::int64_t tasks) {
  const auto busy = 0.01 * static_cast<double>(tasks);
  ASSERT_EQ(digest.ops.size(), 1u);
  const auto& op = digest.ops[0];
  EXPECT_EQ(digest.tasks, tasks);
  EXPECT_EQ(op.tasks, tasks);
  EXPECT_EQ(op.width, 2);
  EXPECT_EQ(op.read, Bytes(3 * tasks));
  EXPECT_EQ(op.written, Bytes(2 * tasks));
  EXPECT_EQ(op.minor_faults, tasks);
  EXPECT_NEAR(op.busy, busy, 1e-6 * busy);
  EXPECT_NEAR(op.cpu, busy / 2, 1e-6 * busy);
  // Nothing is lost on the way into bins.
  EXPECT_NEAR(std::accumulate(digest.busy[0].begin(), digest.busy[0].end(), 0.0), busy, 1e-6 * busy);
  double projected = 0;
  double measured = 0;
  for (const auto& cell : digest.memory) {
    projected += cell.projected;
    measured += cell.measured;
  }
  EXPECT_NEAR(projected, 40 * busy, 1e-4 * busy);
  EXPECT_NEAR(measured, 30 * busy, 1e-4 * busy);
  ASSERT_EQ(digest.lanes.size(), 2u);
  for (const auto& lane : digest.lanes) {
    float seconds = 0;
    for (const auto& cell : lane.cells) seconds += cell.busy;
    EXPECT_EQ(lane.tasks, tasks / 2);
    EXPECT_NEAR(seconds, busy / 2, 1e-3 * busy);
  }
}

TEST_F(RunDigestTest, ten_tasks_are_kept_one_by_one) {
  write_run(10);
  const auto digest = digest_history(path_.string());
  expect_sums(digest, 10);
  EXPECT_EQ(digest.details.size(), 10u);
  EXPECT_EQ(digest.peak_held, Bytes(900));
  EXPECT_EQ(digest.end, 0.05);
}

TEST_F(RunDigestTest, a_million_tasks_make_the_same_sums_and_a_small_page) {
  write_run(1'000'000);
  const auto digest = digest_history(path_.string());
  expect_sums(digest, 1'000'000);
  EXPECT_TRUE(digest.details.empty());
  EXPECT_LT(digest.details.capacity(), 2 * RunDigest::kDetailLimit) << "memory grows with the tasks";
  EXPECT_EQ(digest.lanes[0].cells.size(), TimeBins::kCount);
  EXPECT_LT(report_page(path_.string()).size(), std::size_t{1} << 20);
}

TEST_F(RunDigestTest, a_full_bin_means_as_many_tasks_as_ran) {
  write_run(1000);
  const auto digest = digest_history(path_.string());
  for (std::size_t i = 0; i < digest.bins.bin(digest.end - digest.bins.width()); ++i)
    EXPECT_NEAR(digest.busy[0][i] / digest.bins.width(), 2, 1e-6) << i;
}

TEST_F(RunDigestTest, a_run_without_an_end_makes_a_page_and_a_cut_last_line_is_left_out) {
  write(start_line(2) + "\n" + task_line(0, 0, 0, 1) + "\n" + task_line(1, 0, 1, 2).substr(0, 30));
  const auto digest = digest_history(path_.string());
  EXPECT_FALSE(digest.finish);
  EXPECT_TRUE(digest.cut);
  EXPECT_EQ(digest.tasks, 1);
}

TEST_F(RunDigestTest, what_is_no_history_is_an_error_with_file_and_line) {
  const auto first = path_.string() + ":1: ";
  const auto second = path_.string() + ":2: ";
  EXPECT_NE(complaint().find("No such file"), std::string::npos);
  for (const auto* foreign : {"", "\n", "hello\n", "{\"x\": 1}\n", "[1]\n", "\x89HDF\r\n\x1a\n"}) {
    write(foreign);
    EXPECT_NE(complaint().find(first), std::string::npos) << foreign << ": " << complaint();
  }
  auto backwards = task_line(0, 0, 2, 1);
  auto negative = task_line(0, 0, 0, 1);
  negative.replace(negative.find("\"worker\":0"), 10, "\"worker\":-1");
  for (const auto& damaged : {std::string("{\"event\":\"ta"), std::string("7"), backwards, negative, start_line(1),
                              finish_line(3, 1), std::string(R"({"event":"task","op":"a"})")}) {
    write(start_line(1) + "\n" + damaged + "\n" + task_line(0, 0, 0, 1) + "\n");
    EXPECT_NE(complaint().find(second), std::string::npos) << damaged << ": " << complaint();
  }
}

TEST_F(RunDigestTest, every_damaged_byte_is_an_error_or_a_page) {
  const auto text = start_line(1) + "\n" + task_line(0, 0, 0, 1) + "\n" + state_line(1, 300) + "\n" + finish_line(1, 1);
  for (std::size_t i = 0; i < text.size(); ++i)
    for (const char wrong : {'\0', '9', '"', '}', '\xff'}) {
      auto damaged = text;
      damaged[i] = wrong;
      write(damaged);
      try {
        EXPECT_NE(report_page(path_.string()).find("</html>"), std::string::npos);
      } catch (const StorageError& error) {
        EXPECT_NE(std::string(error.what()).find(path_.string() + ":"), std::string::npos) << error.what();
      }
    }
}

TEST_F(RunDigestTest, a_page_never_takes_the_place_of_its_history) {
  write_run(10);
  EXPECT_THROW(write_report_page(path_.string(), path_.string()), UsageError);
  EXPECT_EQ(digest_history(path_.string()).tasks, 10);
}

}  // namespace
}  // namespace brim::runtime
