#include <fmt/format.h>

#include <algorithm>

#include "pack/output.h"

namespace brim::tool {
namespace {

std::string spread(const PackCell& cell) {
  const auto [low, high] = std::minmax_element(cell.seconds.begin(), cell.seconds.end());
  return fmt::format("{:.2f} - {:.2f} s", *low, *high);
}

double over(double seconds, double base) { return base > 0 ? seconds / base : 0; }

}  // namespace

void print_legend(std::int64_t rounds) {
  fmt::print(
      "makespan: median of {} rounds.  / adaptive: over 1 is slower than the adaptive pool.  / bound: over the least\n"
      "time that any schedule could take.  / simulated: over what `brim simulate` says of the same tasks.\n"
      "waiting: share of the time in which a task waited for memory;  full: share of the budget that tasks held then.\n"
      "overshoot: most that the processes held beyond the budget.  measured: memory of the task that came nearest to\n"
      "its projection, in parts of it.  resizes: workers started, trimmed and stopped.\n",
      rounds);
}

void print_table(const PackResult& result) {
  const auto& workload = result.workload;
  fmt::print("\n({}) {}{}\n    {} tasks, budget {}, lower bound {:.2f} s ({})\n", workload.letter, workload.name,
             workload.synthetic ? " [stand-in tasks without data]" : "", result.tasks, to_string(result.budget),
             result.bound.seconds(), result.bound.binding());
  fmt::print("    {:<34} {:>8} {:>15} {:>10} {:>7} {:>11} {:>7} {:>5} {:>9} {:>8} {:>7} {:>13} {:>11}\n", "pool",
             "makespan", "min - max", "/ adaptive", "/ bound", "/ simulated", "waiting", "full", "overshoot",
             "measured", "retries", "resizes", "faults/task");
  const auto adaptive = result.cells.front().median_seconds();
  for (const auto& cell : result.cells) {
    if (!cell.refusal.empty()) {
      fmt::print("    {:<34} cannot: {}\n", cell.pool.name, cell.refusal);
      continue;
    }
    const auto makespan = cell.median_seconds();
    fmt::print(
        "    {:<34} {:>6.2f} s {:>15} {:>10.2f} {:>7.2f} {:>11.2f} {:>6.0f}% {:>4.0f}% {:>9} {:>8.2f} {:>7} {:>13} "
        "{:>11.0f}\n",
        cell.pool.name, makespan, spread(cell), over(makespan, adaptive), over(makespan, result.bound.seconds()),
        over(makespan, cell.simulated_seconds), 100 * cell.memory_bound, 100 * cell.memory_bound_used,
        to_string(std::max(cell.overshoot, Bytes(0))), cell.measured_over_projected, cell.retries,
        fmt::format("{} in {:.2f} s", cell.resizes, cell.resize_seconds), cell.faults_per_task);
  }
}

void print_distribution(const std::vector<PackResult>& results) {
  std::vector<std::pair<double, const PackResult*>> ratios;
  for (const auto& result : results)
    if (result.to_best_fixed() > 0) ratios.emplace_back(result.to_best_fixed(), &result);
  if (ratios.empty()) return;
  std::sort(ratios.begin(), ratios.end());
  fmt::print("\nThe adaptive pool's time over that of the best fixed pool within the budget:\n");
  for (const auto& [ratio, result] : ratios)
    fmt::print("    {:>5.2f}  ({}) {}\n", ratio, result->workload.letter, result->workload.name);
  fmt::print("    {:>5.2f}  in the median, {:.2f} at worst\n", ratios[ratios.size() / 2].first, ratios.back().first);
}

}  // namespace brim::tool
