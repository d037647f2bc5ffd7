#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
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

/// The same work for every pool.
struct BenchWorkload {
  std::string name;
  std::vector<Output> outputs;
};

/// Tasks that wait more than they compute, as tasks on a store do: memory decides how many run. Long enough that
/// touching fresh memory, about a second for each GiB, is not all there is to see.
SyntheticOptions tasks_of(std::int64_t count, Bytes memory) {
  return {.tasks = count, .memory = memory, .cpu_nanoseconds = 1'000'000, .wait_nanoseconds = 250'000'000};
}

/// The founding case, and the control: where all tasks are alike an adaptive pool has nothing to gain.
std::vector<BenchWorkload> workloads(Bytes task_memory) {
  const Bytes lean_memory(task_memory.count() / 32);
  const auto lean = synthetic(tasks_of(96, lean_memory));
  auto hungry_options = tasks_of(24, lean_memory * 4);
  hungry_options.after = {lean};
  return {{"lean, then 4 times hungrier", {discard(synthetic(hungry_options))}},
          {"uniform (control)", {discard(synthetic(tasks_of(24, lean_memory * 4)))}}};
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

/// Touches as much memory as a run may hold and gives it back. On a virtual machine, memory that nobody has used for a
/// few seconds comes many times slower; whoever ran after a slow pool would pay for it.
void warm_up_memory(Bytes amount) {
  const auto length = static_cast<std::size_t>(amount.count());
  void* memory = mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return;
  madvise(memory, length, MADV_HUGEPAGE);
  std::memset(memory, 1, length);
  munmap(memory, length);
}

void run_round(const Plan& plan, const PoolKind& pool, Cell& cell) {
  warm_up_memory(plan.budget());
  const TreeMemorySampler sampler;
  const auto report = Executor(*pool.options).run(plan);
  cell.seconds.push_back(std::chrono::duration<double>(report.wall).count());
  cell.memory_time_used = std::max(cell.memory_time_used, report.memory_time_used);
  cell.workers = report.workers_started;
  cell.overshoot = std::max(cell.overshoot, sampler.peak() - plan.budget());
}

/// What the pools made of one workload.
struct Result {
  std::string workload;
  Bytes budget;
  std::vector<Cell> cells;
};

void print_table(const Result& result) {
  fmt::print("{}, budget {}\n", result.workload, to_string(result.budget));
  fmt::print("  {:<42} {:>9} {:>17} {:>7} {:>12} {:>10}\n", "pool", "makespan", "min - max", "ratio", "memory-time",
             "overshoot");
  const auto baseline = median(result.cells.front().seconds);
  for (const auto& cell : result.cells) {
    if (cell.seconds.empty()) {
      fmt::print("  {:<42} refused: its workers do not fit the budget\n", cell.pool);
      continue;
    }
    const auto [low, high] = std::minmax_element(cell.seconds.begin(), cell.seconds.end());
    fmt::print("  {:<42} {:>7.2f} s {:>17} {:>7.2f} {:>11.0f}% {:>10}\n", cell.pool, median(cell.seconds),
               fmt::format("{:.2f} - {:.2f} s", *low, *high), median(cell.seconds) / baseline,
               100 * cell.memory_time_used, to_string(std::max(cell.overshoot, Bytes(0))));
  }
}

nlohmann::json to_json(const Result& result) {
  nlohmann::json json{{"workload", result.workload}, {"budget", result.budget.count()}};
  for (const auto& cell : result.cells) {
    nlohmann::json row{{"pool", cell.pool}, {"refused", cell.seconds.empty()}};
    if (!cell.seconds.empty()) {
      row["makespan_seconds"] = cell.seconds;
      row["ratio_to_adaptive"] = median(cell.seconds) / median(result.cells.front().seconds);
      row["memory_time_used"] = cell.memory_time_used;
      row["overshoot_bytes"] = std::max(cell.overshoot, Bytes(0)).count();
      row["workers_started"] = cell.workers;
    }
    json["cells"].push_back(row);
  }
  return json;
}

Result measure(const BenchWorkload& workload, const Machine& machine, Bytes task_memory, std::int64_t rounds) {
  const auto made = plan(workload.outputs, machine, {.task_memory = task_memory, .workers = 0});
  if (made.budget() > machine.budget)
    throw MemoryError(fmt::format("the benchmark would hold {}, this machine can give {}", to_string(made.budget()),
                                  to_string(machine.budget)),
                      "lower --task-memory");
  const auto pools = pools_for(made, machine.cores);
  Result result{workload.name, made.budget(), {}};
  for (const auto& pool : pools) result.cells.push_back({pool.name, {}, 0, {}, 0});
  // Pools take turns, so that a machine that grows slower or faster meanwhile favours none.
  for (std::int64_t round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < pools.size(); ++i)
      if (pools[i].options) run_round(made, pools[i], result.cells[i]);
  return result;
}

void bench_pack(const BenchOptions& options) {
  if (options.rounds < 1) throw UsageError(fmt::format("{} rounds", options.rounds), "use --rounds 1 or more");
  const auto machine = this_machine();
  const auto task_memory = parse_bytes(options.task_memory);
  nlohmann::json json{{"benchmark", "pack"}};
  if (!options.json)
    fmt::print(
        "Makespan: median of {} rounds. Ratio: to the adaptive pool, over 1 is slower. memory-time: share of\n"
        "budget x time that tasks held. overshoot: most that the processes held beyond the budget.\n\n",
        options.rounds);
  for (const auto& workload : workloads(task_memory)) {
    const auto result = measure(workload, machine, task_memory, options.rounds);
    if (options.json)
      json["workloads"].push_back(to_json(result));
    else
      print_table(result);
  }
  if (options.json) fmt::print("{}\n", json.dump(2));
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
