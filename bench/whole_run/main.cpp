#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "brim/brim.h"
#include "whole_run/dew_point_files.h"
#include "whole_run/single_purpose.h"

// The dew point over HDF5 files in the page cache: brim with two workers against a single-purpose program with two
// processes, in turns within one run.
namespace brim::bench {
namespace {

struct Case {
  std::string name;
  Layout layout;
  std::vector<double> brim_seconds;
  std::vector<double> single_purpose_seconds;
  double largest_difference = 0;  ///< relative
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

template <typename F>
double seconds_of(F call) {
  const auto start = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

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

void measure(Case& one, const std::filesystem::path& folder, std::int64_t planes, int rounds) {
  const auto input = (folder / "in.h5").string();
  const auto output = (folder / "brim.h5").string();
  const auto other = (folder / "single.h5").string();
  write_input(input, one.layout, planes);
  for (int round = 0; round <= rounds; ++round) {
    // Both begin without an output file, as a user does.
    std::filesystem::remove(output);
    std::filesystem::remove(other);
    const double brim = seconds_of([&] { run_brim(input, output); });
    const double single = seconds_of([&] { run_single_purpose(input, other, planes); });
    if (round == 0) continue;  // warms up
    one.brim_seconds.push_back(brim);
    one.single_purpose_seconds.push_back(single);
  }
  one.largest_difference = difference(read_result(output, planes), read_result(other, planes));
}

void report(const std::vector<Case>& cases, Bytes moved, const std::string& json_path) {
  fmt::print("dew point float32, {} read and written, hot page cache; ratio: speed of brim / single-purpose program\n",
             to_string(moved));
  nlohmann::json json{{"benchmark", "whole_run"}, {"bytes", moved.count()}};
  for (const auto& one : cases) {
    const auto brim = median(one.brim_seconds);
    const auto single = median(one.single_purpose_seconds);
    fmt::print("  {:<12} brim {:7.3f} s ({}/s)   single-purpose {:7.3f} s   ratio {:.2f}   difference {:.1e}\n",
               one.name, brim, to_string(Bytes(static_cast<std::int64_t>(static_cast<double>(moved.count()) / brim))),
               single, single / brim, one.largest_difference);
    json["cases"].push_back({{"name", one.name},
                             {"brim_seconds", one.brim_seconds},
                             {"single_purpose_seconds", one.single_purpose_seconds},
                             {"ratio", single / brim},
                             {"largest_relative_difference", one.largest_difference}});
  }
  if (!json_path.empty()) std::ofstream(json_path) << json.dump(2) << '\n';
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
  std::string size = "256MiB";
  std::string parent = ".";
  std::string json;
  int rounds = 5;
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
  std::vector<Case> cases = {{"contiguous", Layout::kContiguous, {}, {}, 0}, {"chunked", Layout::kChunked, {}, {}, 0}};
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
