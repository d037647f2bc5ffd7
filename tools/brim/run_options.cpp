#include "run_options.h"

#include <fmt/format.h>

#include <charconv>

#include "brim/error.h"
#include "brim/workload.h"
#include "interrupt.h"

namespace brim::tool {
namespace {

std::int64_t parse_workers(const std::string& text) {
  if (text == "unlimited") return 0;
  std::int64_t count = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (status != std::errc{} || end != text.data() + text.size() || count < 1)
    throw UsageError(fmt::format("'{}' is not a number of workers", text), "write --workers 4 or --workers unlimited");
  return count;
}

}  // namespace

void add_plan_options(CLI::App& command, RunOptions& options) {
  command.add_option(
      "--memory", options.memory,
      "The budget: what the whole run may hold, for example 8GiB or 500MB (default: what `brim info` says)");
  command.add_option("--workers", options.workers,
                     "Most worker processes at once, or 'unlimited' (default: the cores, more where tasks wait)");
}

void add_watch_options(CLI::App& command, RunOptions& options) {
  command.add_option("--history", options.history,
                     "Write every task, with its memory and times, to this file (JSON lines); `brim report` makes a "
                     "page of it");
  command.add_option("--trace", options.trace,
                     "Write the run for chrome://tracing and ui.perfetto.dev to this file (JSON)");
  command
      .add_option("--scratch", options.scratch,
                  "Folder for what lies on disk only during the run (default: beside the output)")
      ->check(CLI::ExistingDirectory);
  command.add_flag("-q,--quiet", options.quiet, "No progress line and no summary");
}

PlanOptions plan_options(const RunOptions& options, PlanOptions defaults) {
  if (!options.memory.empty()) {
    defaults.memory = parse_bytes(options.memory);
    defaults.task_memory.reset();
  }
  if (!options.workers.empty()) defaults.workers = parse_workers(options.workers);
  return defaults;
}

Plan plan_workload(const std::string& file, RunOptions& options) {
  const auto workload = load_workload(file);
  PlanOptions defaults;
  defaults.memory = workload.run.memory;
  defaults.task_memory = workload.run.task_memory;
  defaults.workers = workload.run.workers;
  if (options.scratch.empty()) options.scratch = workload.run.scratch.value_or("");
  return plan(workload.outputs, plan_options(options, defaults));
}

Report run_plan(const Plan& plan, const RunOptions& options) {
  if (!options.history.empty() && options.history == options.trace)
    throw UsageError("history and trace would go to the same file", "name two: --history run.jsonl --trace run.json");
  ExecutorOptions executor_options;
  executor_options.scratch_folder = options.scratch;
  executor_options.resume = options.resume;
  if (!options.quiet) executor_options.observers.push_back(progress_line());
  if (!options.history.empty()) executor_options.observers.push_back(history_file(options.history));
  if (!options.trace.empty()) executor_options.observers.push_back(trace_file(options.trace));
  Executor executor(executor_options);
  auto report = InterruptGuard().run(executor, plan);
  if (!options.quiet) fmt::print(stderr, "{}", report.summary());
  return report;
}

}  // namespace brim::tool
