#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "brim/report_page.h"
#include "commands.h"

namespace brim::tool {

void add_report(CLI::App& app) {
  struct Options {
    std::string history;
    std::string output;
  };
  auto* command = app.add_subcommand("report", "Make a page of a run: who did what when, and with how much memory");
  command->footer(
      "Example:\n"
      "  brim run dew_point.toml --history run.jsonl\n"
      "  brim report run.jsonl -o run.html\n"
      "The page opens from disk with no network, and stays small for millions of tasks. It shows the workers over "
      "time,\n"
      "memory against the budget (granted, measured, resident), the width of every operation, projected against\n"
      "measured memory, and the plan. A run that failed or was killed makes a page too, as far as it came.\n"
      "For a task-by-task view, `brim run --trace run.json` writes what ui.perfetto.dev opens.");
  const auto options = std::make_shared<Options>();
  command->add_option("HISTORY", options->history, "What `brim run --history HISTORY` wrote")->required();
  command->add_option("-o,--output", options->output, "The page (default: HISTORY with the ending .html)");
  command->callback([options] {
    auto page = options->output;
    if (page.empty()) page = std::filesystem::path(options->history).replace_extension(".html").string();
    write_report_page(options->history, page);
    fmt::print("{}\n", page);
  });
}

}  // namespace brim::tool
