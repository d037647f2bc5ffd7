#pragma once

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace brim::bench {

/// What one turn of one contender took: wall clock, and the CPU time of this process and of the children it waited for.
struct Turn {
  double seconds = 0;
  double cpu_seconds = 0;
};

inline double cpu_seconds_so_far() {
  double sum = 0;
  for (const auto who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    getrusage(who, &usage);
    for (const auto& time : {usage.ru_utime, usage.ru_stime})
      sum += static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  }
  return sum;
}

template <typename F>
Turn turn_of(F call) {
  const double cpu = cpu_seconds_so_far();
  const auto start = std::chrono::steady_clock::now();
  call();
  const auto wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return {wall, cpu_seconds_so_far() - cpu};
}

/// `values` are not empty.
inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// The schema that all benchmarks share: {"benchmark": NAME, "rows": [...]}, each row with "name", "contender",
/// "seconds" (median), "ratio" (its seconds / brim's) and what else the benchmark knows. Does nothing without a path.
inline void write_rows(const std::string& path, nlohmann::json header, const std::vector<nlohmann::json>& rows) {
  if (path.empty()) return;
  header["rows"] = rows;
  std::ofstream(path) << header.dump(2) << '\n';
}

}  // namespace brim::bench
