#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "brim/brim.h"

namespace brim {
namespace {

class TraceTest : public testing::Test {
 protected:
  ~TraceTest() override { std::filesystem::remove(path_); }
  nlohmann::json trace() const { return nlohmann::json::parse(std::ifstream(path_)); }

  std::string path_ =
      (std::filesystem::temp_directory_path() / ("brim-trace-" + std::to_string(getpid()) + ".json")).string();
};

TEST_F(TraceTest, every_task_lies_on_its_workers_track_and_tracks_do_not_overlap) {
  Executor({.observers = {trace_file(path_)}}).run(plan(discard(synthetic({.tasks = 20, .memory = mebibytes(1)}))));
  std::map<std::int64_t, double> free_from;
  std::set<std::int64_t> tasks;
  std::set<std::string> counters;
  const auto whole = trace();  // a temporary would not live as long as the loop
  for (const auto& event : whole["traceEvents"]) {
    if (event["ph"] == "C") counters.insert(event["name"].get<std::string>());
    if (event["ph"] != "X") continue;
    EXPECT_TRUE(tasks.insert(event["args"]["task"].get<std::int64_t>()).second);
    auto& free = free_from[event["tid"].get<std::int64_t>()];
    EXPECT_GE(event["ts"].get<double>(), free);
    EXPECT_GE(event["dur"].get<double>(), 0);
    free = event["ts"].get<double>() + event["dur"].get<double>() - 0.002;
  }
  EXPECT_EQ(tasks.size(), 20u);
  EXPECT_EQ(counters, (std::set<std::string>{"memory held", "width"}));
}

TEST_F(TraceTest, the_trace_of_a_cancelled_run_is_whole_json) {
  {
    Executor executor({.observers = {trace_file(path_)}});
    executor.cancel();
    EXPECT_THROW(executor.run(plan(discard(synthetic({.tasks = 5, .memory = mebibytes(1)})))), Cancelled);
  }
  EXPECT_TRUE(trace()["traceEvents"].is_array());
}

TEST_F(TraceTest, a_trace_that_cannot_be_written_is_a_storage_error) {
  EXPECT_THROW(trace_file("/nowhere/run.json"), StorageError);
}

}  // namespace
}  // namespace brim
