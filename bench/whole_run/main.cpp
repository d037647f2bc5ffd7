#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "brim/brim.h"
#include "rounds.h"
#include "whole_run/dew_point_files.h"
#include "whole_run/single_purpose.h"

// The dew point over HDF5 files in the page cache: brim with two workers against a single-purpose program with two
// processes, in turns within one run.
namespace brim::bench {
namespace {

struct Case {
  std::string name;
  Layout layout;
  std::vector<Turn> brim = {};
  std::vector<Turn> single_purpose = {};
  double largest_difference = 0;  ///< relative
};

void run_brim(const std::string& input, const std::string& output) {
  const OpenArrayOptions options{.chunks = Shape{kPlanesPerChunk, kRows, kColumns}};
  const auto t2 = open(input + ":/t2", options);
  const auto rh = open(input + ":/rh", options);
  const auto es = 0.611 * exp(5423 * (1.0 / 273 - 1 / t2));
  const auto e_vap = es * rh / 100;
  const auto td = 1 / (1.0 / 273 - 0.0001844 * log(e_vap / 0.611));
  Executor().run(plan(store(td, output + ":/td"), {.workers = 2}));
}

/// Largest relative difference of two results; infinite where only one is NaN.
double difference(const std::vector<float>& a, const std::vector<float>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i]) && std::isnan(b[i])) continue;
    const double relative = std::abs(static_cast<double>(a[i]) - b[i]) / std::abs(static_cast<double>(b[i]));
    largest = std::isnan(relative) ? INFINITY : std::max(largest, relative);
  }
  return largest;
}

/// Both begin without an output file, as a user does, and with no dirty pages of the one before.
template <typename F>
Turn clean_turn_of(const std::filesystem::path& folder, F call) {
  std::filesystem::remove(folder / "brim.h5");
  std::filesystem::remove(folder / "single.h5");
  return turn_of(call);
}

void measure(Case& one, const std::filesystem::path& folder, std::int64_t planes, int rounds) {
  const auto input = (folder / "in.h5").string();
  const auto output = (folder / "brim.h5").string();
  const auto other = (folder / "single.h5").string();
  const auto brim = [&] { run_brim(input, output); };
  const auto single = [&] { run_single_purpose(input, other, planes); };
  write_input(input, one.layout, planes);
  // Warms up, and gives the results to compare.
  brim();
  single();
  one.largest_difference = difference(read_result(output, planes), read_result(other, planes));
  for (int round = 0; round < rounds; ++round) {
    // Neither is always first.
    if (round % 2 == 0) one.brim.push_back(clean_turn_of(folder, brim));
    one.single_purpose.push_back(clean_turn_of(folder, single));
    if (round % 2 != 0) one.brim.push_back(clean_turn_of(folder, brim));
  }
}

std::vector<double> column(const std::vector<Turn>& turns, double Turn::*field) {
  std::vector<double> values;
  for (const auto& turn : turns) values.push_back(turn.*field);
  return values;
}

/// Times of the single-purpose program over those of brim in the same round: the speed of brim in units of the other's.
std::vector<double> ratios(const Case& one, double Turn::*field) {
  std::vector<double> values;
  for (std::size_t i = 0; i < one.brim.size(); ++i) values.push_back(one.single_purpose[i].*field / one.brim[i].*field);
  return values;
}

nlohmann::json row_of(const Case& one, const std::string& contender, const std::vector<Turn>& turns) {
  const bool brim = &turns == &one.brim;
  return {{"name", one.name},
          {"contender", contender},
          {"seconds", median(column(turns, &Turn::seconds))},
          {"ratio", brim ? 1.0 : median(ratios(one, &Turn::seconds))},
          {"cpu_seconds", median(column(turns, &Turn::cpu_seconds))},
          {"cpu_ratio", brim ? 1.0 : median(ratios(one, &Turn::cpu_seconds))},
          {"round_seconds", column(turns, &Turn::seconds)},
          {"round_cpu_seconds", column(turns, &Turn::cpu_seconds)},
          {"largest_relative_difference", one.largest_difference}};
}

void report(const std::vector<Case>& cases, Bytes moved, const std::string& json_path) {
  fmt::print("dew point float32, {} read and written, hot page cache\n", to_string(moved));
  fmt::print("ratio: speed of brim / of the single-purpose program, median over rounds (least - most)\n");
  std::vector<nlohmann::json> rows;
  for (const auto& one : cases) {
    const auto speed = ratios(one, &Turn::seconds);
    const auto [least, most] = std::minmax_element(speed.begin(), speed.end());
    fmt::print(
        "  {:<10}  brim {:.3f} s, single-purpose {:.3f} s: ratio {:.2f} ({:.2f} - {:.2f})   CPU {:.3f} s, "
        "{:.3f} s: ratio {:.2f}   difference {:.1e}\n",
        one.name, median(column(one.brim, &Turn::seconds)), median(column(one.single_purpose, &Turn::seconds)),
        median(speed), *least, *most, median(column(one.brim, &Turn::cpu_seconds)),
        median(column(one.single_purpose, &Turn::cpu_seconds)), median(ratios(one, &Turn::cpu_seconds)),
        one.largest_difference);
    rows.push_back(row_of(one, "brim", one.brim));
    rows.push_back(row_of(one, "single-purpose program", one.single_purpose));
  }
  write_rows(json_path, {{"benchmark", "whole_run"}, {"bytes", moved.count()}}, rows);
}

/// A folder that goes with everything in it.
struct Folder {
  explicit Folder(const std::string& parent)
      : path(std::filesystem::path(parent) / fmt::format("brim-whole-run-{}", getpid())) {
    std::filesystem::create_directories(path);
  }
  ~Folder() {
    std::error_code error;
    std::filesystem::remove_all(path, error);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::filesystem::path path;
};

int run(int argc, char** argv) {
  CLI::App app{"A whole run of brim against a single-purpose program"};
  std::string size = "512MiB";
  std::string parent = ".";
  std::string json;
  int rounds = 9;
  app.add_option("--size", size, "Bytes of each of the two inputs")->capture_default_str();
  app.add_option("--folder", parent, "Where the files go meanwhile")
      ->check(CLI::ExistingDirectory)
      ->capture_default_str();
  app.add_option("--rounds", rounds, "Counted runs of each; the median counts")->check(CLI::Range(1, 1000));
  app.add_option("--json", json, "Write the figures to this file too");
  CLI11_PARSE(app, argc, argv);
  const auto chunk_bytes = Bytes(kChunkElements * static_cast<std::int64_t>(sizeof(float)));
  const auto planes = std::max<std::int64_t>(1, parse_bytes(size) / chunk_bytes) * kPlanesPerChunk;
  const Folder folder(parent);
  std::vector<Case> cases = {{"contiguous", Layout::kContiguous}, {"chunked", Layout::kChunked}};
  for (auto& one : cases) measure(one, folder.path, planes, rounds);
  report(cases, chunk_bytes * (planes / kPlanesPerChunk * 3), json);
  for (const auto& one : cases)
    if (!(one.largest_difference <= 1e-6)) {
      fmt::print(stderr, "the results differ\n");
      return 1;
    }
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
