#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <set>

#include "brim/brim.h"
#include "commands.h"
#include "pack/output.h"
#include "pack/temporary_folder.h"
#include "write_file.h"

// `brim bench pack`: the same work in the adaptive pool and in fixed ones, in one budget.
namespace brim::tool {
namespace {

struct BenchOptions {
  std::string task_memory = "1GiB";
  std::int64_t rounds = 3;
  std::vector<std::string> only;
  std::string folder;
  std::string json;
  std::string html;
};

constexpr std::string_view kJsonBeginning = "{\n  \"benchmark\": \"pack\"";
constexpr std::string_view kHtmlBeginning = "<!doctype html>";
/// (a), (c), (d) and (e) read and write data sets.
const std::set<std::string> kWithData = {"a", "c", "d", "e"};
const std::set<std::string> kWithoutData = {"b", "f", "g", "h", "i", "j", "u"};

void check_options(const BenchOptions& options) {
  if (options.rounds < 1) throw UsageError(fmt::format("{} rounds", options.rounds), "use --rounds 1 or more");
  for (const auto& letter : options.only)
    if (!kWithData.contains(letter) && !kWithoutData.contains(letter))
      throw UsageError(fmt::format("there is no workload '{}'", letter), "they are a to j, and u for the control");
  if (!options.json.empty() && options.json == options.html)
    throw UsageError("JSON and HTML would go to the same file", "name two: --json pack.json --html pack.html");
  // Before minutes of work, not after.
  if (!options.json.empty()) require_replaceable(options.json, kJsonBeginning, "JSON of this benchmark");
  if (!options.html.empty()) require_replaceable(options.html, kHtmlBeginning, "web page");
}

bool wanted(const BenchOptions& options, const std::set<std::string>& letters) {
  return options.only.empty() || std::any_of(options.only.begin(), options.only.end(),
                                             [&](const auto& only) { return letters.contains(only); });
}

/// What runs now, on a terminal only.
void progress(const std::string& text) {
  if (isatty(STDERR_FILENO) == 0) return;
  fmt::print(stderr, "\r{}\033[K", text);
  std::fflush(stderr);
}

class Bench {
 public:
  explicit Bench(const BenchOptions& options) : options_(options), machine_(this_machine()) {}

  void run() {
    const auto task_memory = parse_bytes(options_.task_memory);
    print_legend(options_.rounds);
    if (wanted(options_, kWithData)) {
      const TemporaryFolder folder(
          options_.folder.empty() ? std::filesystem::temp_directory_path() : std::filesystem::path(options_.folder),
          data_workloads_disk(task_memory));
      progress("making input");
      measure_all(data_workloads(folder.path(), task_memory, guard_));
    }
    if (wanted(options_, kWithoutData)) measure_all(synthetic_workloads(task_memory));
    print_distribution(results_);
    if (!options_.json.empty()) write_whole_file(options_.json, to_json(results_, machine_));
    if (!options_.html.empty()) write_whole_file(options_.html, to_html(results_, machine_));
  }

 private:
  void measure_all(const std::vector<PackWorkload>& workloads) {
    for (const auto& workload : workloads) {
      if (!wanted(options_, {workload.letter})) continue;
      results_.push_back(measure(workload, machine_, options_.rounds, guard_, progress));
      progress("");
      print_table(results_.back());
      std::fflush(stdout);
    }
  }

  const BenchOptions& options_;
  Machine machine_;
  InterruptGuard guard_;
  std::vector<PackResult> results_;
};

}  // namespace

void add_bench(CLI::App& app) {
  auto* bench = app.add_subcommand("bench", "Measure brim on this machine");
  bench->require_subcommand(1);
  auto* pack = bench->add_subcommand("pack", "The adaptive pool against fixed pools: the same work in the same budget");
  pack->footer(
      "Workloads: a dew point, b read - rechunk - elementwise - reduction, c quadratic means, d monthly anomaly,\n"
      "e vorticity, f hungry beside lean, g staircase, h remote store, i wrong declaration, j tiny beside huge,\n"
      "u uniform (control). Takes some ten minutes; close other programs first.\n"
      "Example:\n"
      "  brim bench pack --only b,f,g --json pack.json --html pack.html");
  const auto options = std::make_shared<BenchOptions>();
  pack->add_option("--task-memory", options->task_memory, "Memory that tasks may hold in all")->capture_default_str();
  pack->add_option("--rounds", options->rounds, "Runs of each pool, taking turns; the median counts")
      ->capture_default_str();
  pack->add_option("--only", options->only, "Letters of workloads: a,b,u (default: all)")->delimiter(',');
  pack->add_option("--folder", options->folder,
                   "Folder for input and results of a, c, d and e, on a disk (default: the system's for temporary "
                   "files); 1.25 times --task-memory, removed at the end")
      ->check(CLI::ExistingDirectory);
  pack->add_option("--json", options->json, "Write the figures to this file, too");
  pack->add_option("--html", options->html, "Write a page with the figures to this file, too");
  pack->callback([options] {
    check_options(*options);
    Bench(*options).run();
  });
}

}  // namespace brim::tool
