#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <map>
#include <nlohmann/json.hpp>

#include "brim/brim.h"
#include "rounds.h"

// What the pool itself costs: tasks that do nothing, and the time in which a warm pool changes its width.
namespace brim::bench {
namespace {

double seconds(std::chrono::nanoseconds time) { return std::chrono::duration<double>(time).count(); }

/// What happened when, by op and by worker.
struct Times final : Observer {
  void on_task(const TaskRecord& task) override {
    auto& starts = starts_of[task.op];
    starts.insert(std::upper_bound(starts.begin(), starts.end(), task.start), task.start);
    last_end_of[task.op] = std::max(last_end_of[task.op], task.end);
  }
  std::map<std::string, std::vector<std::chrono::nanoseconds>> starts_of;  ///< in order
  std::map<std::string, std::chrono::nanoseconds> last_end_of;
};

double empty_tasks_per_second(std::int64_t tasks) {
  const auto report = Executor().run(plan(discard(synthetic({.tasks = tasks})), {.workers = 2}));
  return static_cast<double>(tasks) / seconds(report.wall);
}

/// From the end of the task that both sides wait for to the first task of the new width, and to as many as fit at once.
struct Change {
  std::vector<double> first = {};
  std::vector<double> full = {};
};

struct Widths {
  Change narrowing;  ///< 8 to 2: idle workers give back the memory that the hungry tasks need
  Change widening;   ///< 2 to 8: parked workers wake
  std::vector<std::int64_t> workers_started = {};  ///< over each run; more than 8: some were stopped between
  std::int64_t missed = 0;                         ///< runs that did not see 2 and 8 tasks at once
};

void add(Change& change, const Times& times, const std::string& gate, const std::string& op, std::size_t width) {
  const auto decided = times.last_end_of.at(gate);
  change.first.push_back(seconds(times.starts_of.at(op).front() - decided));
  change.full.push_back(seconds(times.starts_of.at(op).at(width - 1) - decided));
}

/// Eight lean tasks at once, two hungry ones, eight lean ones, in one pool that is warm after the first of them;
/// between them an empty task that waits for all on the one side, and all on the other for it.
void change_widths(Widths& widths) {
  constexpr std::int64_t kLean = 8;
  constexpr std::int64_t kHungry = 2;
  constexpr std::int64_t kWait = 20'000'000;  // longer than a change takes: who starts within it runs at once
  // So large that a third hungry task does not fit even where the memory of stopped workers is added.
  const Bytes memory = mebibytes(384);
  const auto first =
      synthetic({.tasks = 8 * kLean, .memory = Bytes(memory.count() / kLean), .wait_nanoseconds = kWait});
  const auto narrow = synthetic({.tasks = 1, .after = {first}});
  const auto hungry = synthetic(
      {.tasks = 2 * kHungry, .memory = Bytes(memory.count() / kHungry), .wait_nanoseconds = kWait, .after = {narrow}});
  const auto widen = synthetic({.tasks = 1, .after = {hungry}});
  const auto last = synthetic(
      {.tasks = 4 * kLean, .memory = Bytes(memory.count() / kLean), .wait_nanoseconds = kWait, .after = {widen}});
  const auto times = std::make_shared<Times>();
  const auto report = Executor({.observers = {times}}).run(plan(discard(last), {.task_memory = memory, .workers = 0}));
  // On a busy machine the last ones may come so late that the first are done.
  if (report.ops.at(2).width_observed != kHungry || report.ops.at(4).width_observed != kLean) ++widths.missed;
  widths.workers_started.push_back(report.workers_started);
  add(widths.narrowing, *times, "synthetic-2", "synthetic-3", kHungry);
  add(widths.widening, *times, "synthetic-4", "synthetic-5", kLean);
}

/// Eight tasks at once, one that waits for them while seven workers are parked, eight again: workers keep what they
/// have, so this is what the pool itself needs.
void wake(Change& waking) {
  constexpr std::int64_t kWidth = 8;
  constexpr std::int64_t kWait = 5'000'000;
  const auto memory = mebibytes(1);
  const auto first = synthetic({.tasks = 8 * kWidth, .memory = memory, .wait_nanoseconds = kWait});
  const auto gate = synthetic({.tasks = 1, .after = {first}});
  const auto last = synthetic({.tasks = kWidth, .memory = memory, .wait_nanoseconds = kWait, .after = {gate}});
  const auto times = std::make_shared<Times>();
  Executor({.observers = {times}}).run(plan(discard(last), {.task_memory = memory * kWidth, .workers = 0}));
  add(waking, *times, "synthetic-2", "synthetic-3", kWidth);
}

nlohmann::json row_of(const std::string& name, const std::vector<double>& seconds) {
  return {
      {"name", name}, {"contender", "brim"}, {"seconds", median(seconds)}, {"ratio", 1.0}, {"round_seconds", seconds}};
}

void report_change(const std::string& name, const Change& change, std::vector<nlohmann::json>& rows) {
  fmt::print("{:<22} first task {:.3f} ms, full width {:.3f} ms (worst {:.3f} ms)\n", name, 1e3 * median(change.first),
             1e3 * median(change.full), 1e3 * *std::max_element(change.full.begin(), change.full.end()));
  rows.push_back(row_of(name + ", first task", change.first));
  rows.push_back(row_of(name + ", full width", change.full));
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
  Widths widths;
  Change waking;
  for (int round = 0; round < rounds; ++round) {
    if (round < 5) rates.push_back(empty_tasks_per_second(tasks));
    wake(waking);
    change_widths(widths);
  }
  std::vector<double> each;
  for (const auto rate : rates) each.push_back(1 / rate);
  std::vector<nlohmann::json> rows = {row_of("empty task, 2 workers", each)};
  rows.back()["tasks_per_second"] = median(rates);
  fmt::print("{:<22} {:.0f} /s\n", "empty tasks, 2 workers", median(rates));
  report_change("wake 8 parked workers", waking, rows);
  report_change("384 MiB, 8 to 2 tasks", widths.narrowing, rows);
  report_change("384 MiB, 2 to 8 tasks", widths.widening, rows);
  if (widths.missed > 0)
    fmt::print("{:<22} {} of {} rounds did not see both widths: the machine is busy\n", "", widths.missed, rounds);
  fmt::print("{:<22} at most {}\n", "workers started",
             *std::max_element(widths.workers_started.begin(), widths.workers_started.end()));
  write_rows(json,
             {{"benchmark", "pool"},
              {"workers_started", widths.workers_started},
              {"rounds_without_both_widths", widths.missed}},
             rows);
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
