#include <memory>

#include "commands.h"
#include "run_options.h"

namespace brim::tool {

void add_run(CLI::App& app) {
  struct Options {
    std::string workload;
    RunOptions run;
  };
  auto* command = app.add_subcommand("run", "Run a workload file");
  command->footer(
      "Outputs appear whole when the run succeeds, or not at all. Ctrl-C stops within a second. Exit status: 0 done,\n"
      "2 the workload or the call is wrong, 3 a file cannot be read or written, 4 the memory does not suffice,\n"
      "5 workers died, 130 stopped.");
  const auto options = std::make_shared<Options>();
  command->add_option("WORKLOAD", options->workload, "A workload file (TOML)")->required();
  add_plan_options(*command, options->run);
  add_watch_options(*command, options->run);
  command->add_flag(
      "--resume", options->run.resume,
      "Go on where an earlier run with --resume was stopped; what this one does stays when it is stopped");
  command->callback([options] { run_plan(plan_workload(options->workload, options->run), options->run); });
}

}  // namespace brim::tool
