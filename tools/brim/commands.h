#pragma once

#include <CLI/CLI.hpp>

namespace brim::tool {

// Each adds its subcommand; the callback runs it and throws brim::Error.
void add_info(CLI::App& app);
void add_ls(CLI::App& app);
void add_plan(CLI::App& app);
void add_run(CLI::App& app);
void add_eval(CLI::App& app);
void add_bench(CLI::App& app);
void add_simulate(CLI::App& app);
void add_report(CLI::App& app);

}  // namespace brim::tool
