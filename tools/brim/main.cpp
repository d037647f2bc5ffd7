#include <fmt/format.h>

#include <csignal>
#include <exception>

#include "brim/error.h"
#include "commands.h"

namespace {

constexpr const char* kDescription =
    "brim runs chunked array work on this machine, its memory filled to the brim and never over.";

constexpr const char* kFooter = R"(Start here:
  brim info                                  what brim may use of this machine, and why
  brim ls era5.h5                            what is in a file
  brim eval 'mean(t2 - 273.15, axis=0)' t2=era5.h5:/t2 -o mean.h5:/t2
  brim plan dew_point.toml                   what a workload would take
  brim run dew_point.toml --memory 8GiB      run it
  brim report run.jsonl -o run.html          see a run that wrote --history run.jsonl

`brim COMMAND --help` explains each command.)";

int run(int argc, char** argv) {
  CLI::App app{kDescription};
  app.name("brim");
  app.footer(kFooter);
  app.require_subcommand(1);
  brim::tool::add_info(app);
  brim::tool::add_ls(app);
  brim::tool::add_plan(app);
  brim::tool::add_run(app);
  brim::tool::add_eval(app);
  brim::tool::add_bench(app);
  brim::tool::add_simulate(app);
  brim::tool::add_report(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int status = app.exit(error);
    return status == 0 ? 0 : 2;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  // A file that passes its size limit is an error of that write, for workers too, which inherit this.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return run(argc, argv);
  } catch (const brim::Error& error) {
    fmt::print(stderr, "brim: {}\n", error.what());
    return error.exit_code();
  } catch (const std::exception& error) {
    fmt::print(stderr, "brim: unexpected error: {}\n", error.what());
    return 70;
  }
}
