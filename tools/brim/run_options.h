#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "brim/executor.h"
#include "brim/plan.h"

namespace brim::tool {

/// The options that plan, run and eval share.
struct RunOptions {
  std::string memory;
  std::string workers;
  std::string history;
  std::string trace;
  std::string scratch;
  bool resume = false;
  bool quiet = false;
};

/// --memory and --workers.
void add_plan_options(CLI::App& command, RunOptions& options);
/// --history, --trace, --scratch and --quiet.
void add_watch_options(CLI::App& command, RunOptions& options);

/// What the command line says beats what `defaults` (a workload's [run] table) says.
PlanOptions plan_options(const RunOptions& options, PlanOptions defaults = {});

/// Reads and plans a workload file; what its [run] table says of scratch goes to `options` where they are silent.
Plan plan_workload(const std::string& file, RunOptions& options);

/// Runs a plan with a progress line, history and Ctrl-C handling, and prints the summary unless --quiet.
Report run_plan(const Plan& plan, const RunOptions& options);

}  // namespace brim::tool
