#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "brim/brim.h"
#include "commands.h"
#include "tree_memory.h"

// `brim bench pack`: the same work in the adaptive pool and in fixed ones, in one budget.
namespace brim::tool {
namespace {

struct BenchOptions {
  std::string task_memory = "1GiB";
  std::int64_t rounds = 3;
  bool json = false;
};

/// How a pool is laid out for a plan; nothing when it does not fit the budget.
struct PoolKind {
  std::string name;
  std::optional<ExecutorOptions> options;
};

struct Cell {
  std::string pool;
  std::vector<double> seconds;  ///< makespan of each round; empty: refused
  double memory_time_used = 0;
  Bytes overshoot;
  std::int64_t workers = 0;
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// A lean op and one four times as hungry behind it, both waiting more than computing, as tasks on a store do: memory
/// is what decides how many run.
std::vector<Output> lean_then_hungry(Bytes task_memory) {
  const Bytes lean_memory(task_memory.count() / 32);
  constexpr std::int64_t kMillisecond = 1'000'000;
  const auto lean = synthetic({.tasks = 128,
                               .memory = lean_memory,
                               .cpu_nanoseconds = kMillisecond,
                               .wait_nanoseconds = 40 * kMillisecond,
                               .after = {}});
  const auto hungry = synthetic({.tasks = 32,
                                 .memory = lean_memory * 4,
                                 .cpu_nanoseconds = kMillisecond,
                                 .wait_nanoseconds = 40 * kMillisecond,
                                 .after = {lean}});
  return {discard(hungry)};
}

ExecutorOptions fixed(std::int64_t workers, Bytes task_memory) {
  ExecutorOptions options;
  options.fixed_workers = workers;
  options.fixed_task_memory = task_memory;
  return options;
}

std::vector<PoolKind> pools_for(const Plan& plan, int cores) {
  Bytes hungriest;
  for (const auto& op : plan.ops()) hungriest = std::max(hungriest, op.projected_mem);
  const auto each = plan.worker_mem() + hungriest;
  const auto fitting = (plan.budget() - plan.coordinator_mem()) / each;
  std::vector<PoolKind> pools = {
      {"adaptive", ExecutorOptions{}},
      {fmt::format("fixed for the hungriest op ({} workers)", fitting), fixed(fitting, hungriest)}};
  PoolKind per_core{fmt::format("fixed at the cores ({} workers)", cores), std::nullopt};
  if (cores <= fitting) per_core.options = fixed(cores, hungriest);
  pools.push_back(per_core);
  return pools;
}

void run_round(const Plan& plan, const PoolKind& pool, Cell& cell) {
  const TreeMemorySampler sampler;
  const auto report = Executor(*pool.options).run(plan);
  cell.seconds.push_back(std::chrono::duration<double>(report.wall).count());
  cell.memory_time_used = std::max(cell.memory_time_used, report.memory_time_used);
  cell.workers = report.workers_started;
  cell.overshoot = std::max(cell.overshoot, sampler.peak() - plan.budget());
}

void print_table(const Plan& plan, const std::vector<Cell>& cells) {
  fmt::print("budget {}; lower is better; ratio to the adaptive pool\n", to_string(plan.budget()));
  fmt::print("{:<42} {:>9} {:>17} {:>7} {:>12} {:>10}\n", "pool", "makespan", "min - max", "ratio", "memory-time",
             "overshoot");
  const auto baseline = median(cells.front().seconds);
  for (const auto& cell : cells) {
    if (cell.seconds.empty()) {
      fmt::print("{:<42} refused: its workers do not fit the budget\n", cell.pool);
      continue;
    }
    const auto [low, high] = std::minmax_element(cell.seconds.begin(), cell.seconds.end());
    fmt::print("{:<42} {:>7.2f} s {:>15} {:>8.2f} {:>11.0f}% {:>10}\n", cell.pool, median(cell.seconds),
               fmt::format("{:.2f} - {:.2f} s", *low, *high), median(cell.seconds) / baseline,
               100 * cell.memory_time_used, to_string(std::max(cell.overshoot, Bytes(0))));
  }
}

void print_json(const Plan& plan, const std::vector<Cell>& cells) {
  nlohmann::json json{{"benchmark", "pack"}, {"workload", "lean_then_hungry"}, {"budget", plan.budget().count()}};
  for (const auto& cell : cells) {
    nlohmann::json row{{"pool", cell.pool}, {"refused", cell.seconds.empty()}};
    if (!cell.seconds.empty()) {
      row["makespan_seconds"] = cell.seconds;
      row["ratio_to_adaptive"] = median(cell.seconds) / median(cells.front().seconds);
      row["memory_time_used"] = cell.memory_time_used;
      row["overshoot_bytes"] = std::max(cell.overshoot, Bytes(0)).count();
      row["workers_started"] = cell.workers;
    }
    json["cells"].push_back(row);
  }
  fmt::print("{}\n", json.dump(2));
}

void bench_pack(const BenchOptions& options) {
  if (options.rounds < 1) throw UsageError(fmt::format("{} rounds", options.rounds), "use --rounds 1 or more");
  const auto machine = this_machine();
  const auto task_memory = parse_bytes(options.task_memory);
  const auto made =
      plan(lean_then_hungry(task_memory), machine, {.memory = {}, .task_memory = task_memory, .workers = 0});
  if (made.budget() > machine.budget)
    throw MemoryError(fmt::format("the benchmark would hold {}, this machine can give {}", to_string(made.budget()),
                                  to_string(machine.budget)),
                      "lower --task-memory");
  const auto pools = pools_for(made, machine.cores);
  std::vector<Cell> cells;
  for (const auto& pool : pools) cells.push_back({pool.name, {}, 0, {}, 0});
  // Pools take turns, so that a machine that grows slower or faster meanwhile favours none.
  for (std::int64_t round = 0; round < options.rounds; ++round)
    for (std::size_t i = 0; i < pools.size(); ++i)
      if (pools[i].options) run_round(made, pools[i], cells[i]);
  if (options.json)
    print_json(made, cells);
  else
    print_table(made, cells);
}

}  // namespace

void add_bench(CLI::App& app) {
  auto* bench = app.add_subcommand("bench", "Measure brim on this machine");
  bench->require_subcommand(1);
  auto* pack = bench->add_subcommand("pack", "The adaptive pool against fixed pools: the same work in the same budget");
  const auto options = std::make_shared<BenchOptions>();
  pack->add_option("--task-memory", options->task_memory, "Memory that tasks may hold in all")->capture_default_str();
  pack->add_option("--rounds", options->rounds, "Runs of each pool, taking turns; the median counts")
      ->capture_default_str();
  pack->add_flag("--json", options->json, "Print JSON instead of a table");
  pack->callback([options] { bench_pack(*options); });
}

}  // namespace brim::tool
