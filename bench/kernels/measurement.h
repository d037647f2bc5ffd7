#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace brim::bench {

/// One subject in one setting against its peers: shortest times, all measured in turns within one run.
struct Row {
  std::string name;     ///< "dew point float32, 256 KiB"
  double elements = 0;  ///< that one call computes
  struct Contender {
    std::string name;
    std::function<double()> seconds;  ///< runs once and gives the time
    double best = 0;
  };
  std::vector<Contender> contenders;  ///< brim first
};

/// Measures in turns, `rounds` of them.
void measure(Row& row, int rounds);

/// Times one call.
template <typename F>
double time_of(F call) {
  const auto start = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// In its turn a contender runs this often and gives the shortest time: the first run finds the caches as the one
/// before left them.
inline constexpr int kRunsPerTurn = 3;

/// A contender that runs in this process.
template <typename F>
Row::Contender here(std::string name, F call) {
  return {std::move(name), [call] {
            double best = time_of(call);
            for (int run = 1; run < kRunsPerTurn; ++run) best = std::min(best, time_of(call));
            return best;
          }};
}
/// One that NumPy runs in its helper process; the data are in its dict `kept`.
Row::Contender numpy(std::string expression);

void print_table(const std::vector<Row>& rows);
void write_json(const std::vector<Row>& rows, const std::string& path);

// The measurements, a file each.
void measure_dew_point(std::vector<Row>& rows);
void measure_reductions(std::vector<Row>& rows);
void measure_copies(std::vector<Row>& rows);

}  // namespace brim::bench
