#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "brim/brim.h"

// What the pool itself costs: tasks that do nothing, and the time in which a warm pool changes its width.
namespace brim::bench {
namespace {

double seconds(std::chrono::nanoseconds time) { return std::chrono::duration<double>(time).count(); }

/// When the tasks of each op began and ended.
struct Times final : Observer {
  struct Span {
    std::chrono::nanoseconds first_start = std::chrono::hours(1);
    std::chrono::nanoseconds last_end{};
  };
  void on_task(const TaskRecord& task) override {
    auto& span = spans[task.op];
    span.first_start = std::min(span.first_start, task.start);
    span.last_end = std::max(span.last_end, task.end);
  }
  std::map<std::string, Span> spans;
};

double empty_tasks_per_second(std::int64_t tasks) {
  const auto report = Executor().run(plan(discard(synthetic({.tasks = tasks})), {.workers = 2}));
  return static_cast<double>(tasks) / seconds(report.wall);
}

/// Eight lean tasks at once, then one task that waits for all of them, then two hungry ones at once: for these, workers
/// that hold memory give it back. Gives the time from the end of the one to the start of the first hungry one.
double narrowing_seconds() {
  const auto lean = synthetic({.tasks = 32, .memory = mebibytes(8), .wait_nanoseconds = 2'000'000});
  const auto gate = synthetic({.tasks = 1, .after = {lean}});
  const auto hungry = synthetic({.tasks = 4, .memory = mebibytes(32), .wait_nanoseconds = 2'000'000, .after = {gate}});
  const auto times = std::make_shared<Times>();
  Executor({.observers = {times}}).run(plan(discard(hungry), {.task_memory = mebibytes(64), .workers = 0}));
  return seconds(times->spans.at("synthetic-3").first_start - times->spans.at("synthetic-2").last_end);
}

/// The other way: two hungry tasks at once, one that waits for them, then eight lean ones at once, of which the first
/// wakes a parked worker.
double widening_seconds() {
  const auto hungry = synthetic({.tasks = 4, .memory = mebibytes(32), .wait_nanoseconds = 2'000'000});
  const auto gate = synthetic({.tasks = 1, .after = {hungry}});
  const auto lean = synthetic({.tasks = 32, .memory = mebibytes(8), .wait_nanoseconds = 2'000'000, .after = {gate}});
  const auto times = std::make_shared<Times>();
  Executor({.observers = {times}}).run(plan(discard(lean), {.task_memory = mebibytes(64), .workers = 0}));
  return seconds(times->spans.at("synthetic-3").first_start - times->spans.at("synthetic-2").last_end);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

int run(int argc, char** argv) {
  CLI::App app{"Empty tasks and changes of width in the real pool"};
  std::int64_t tasks = 200'000;
  int rounds = 15;
  std::string json;
  app.add_option("--tasks", tasks, "Empty tasks of one run")->check(CLI::Range(1, 100'000'000))->capture_default_str();
  app.add_option("--rounds", rounds, "Runs of each; the median counts")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--json", json, "Write the figures to this file too");
  CLI11_PARSE(app, argc, argv);
  std::vector<double> rates;
  std::vector<double> narrowing;
  std::vector<double> widening;
  for (int round = 0; round < rounds; ++round) {
    if (round < 5) rates.push_back(empty_tasks_per_second(tasks));
    narrowing.push_back(narrowing_seconds());
    widening.push_back(widening_seconds());
  }
  fmt::print("empty tasks, 2 workers        {:9.0f} /s\n", median(rates));
  fmt::print("narrow a warm pool (8 to 2)   {:9.3f} ms\n", 1e3 * median(narrowing));
  fmt::print("widen a warm pool (2 to 8)    {:9.3f} ms\n", 1e3 * median(widening));
  if (!json.empty())
    std::ofstream(json) << nlohmann::json{{"benchmark", "pool"},
                                          {"empty_tasks_per_second", rates},
                                          {"narrowing_seconds", narrowing},
                                          {"widening_seconds", widening}}
                               .dump(2)
                        << '\n';
  return 0;
}

}  // namespace
}  // namespace brim::bench

int main(int argc, char** argv) {
  try {
    return brim::bench::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
