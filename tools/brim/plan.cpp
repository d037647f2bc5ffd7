#include "brim/plan.h"

#include <fmt/format.h>

#include <memory>

#include "commands.h"
#include "run_options.h"

namespace brim::tool {

void add_plan(CLI::App& app) {
  struct Options {
    std::string workload;
    RunOptions run;
    bool json = false;
  };
  auto* command = app.add_subcommand("plan", "Show what a workload would take: operations, tasks, memory, width");
  command->footer(
      "projected_mem is what one task needs at its peak, the sum of the columns behind it. width is how many such "
      "tasks\n"
      "run at once in the budget. The minimum budget is exact: one byte less is refused.");
  const auto options = std::make_shared<Options>();
  command->add_option("WORKLOAD", options->workload, "A workload file (TOML)")->required();
  add_plan_options(*command, options->run);
  command->add_flag("--json", options->json, "Print JSON, sizes in bytes");
  command->callback([options] {
    const auto made = plan_workload(options->workload, options->run);
    fmt::print("{}{}", options->json ? made.to_json() : made.explain(), options->json ? "\n" : "");
  });
}

}  // namespace brim::tool
