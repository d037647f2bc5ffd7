#include "brim/simulate.h"

#include <fmt/format.h>

#include <charconv>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "brim/error.h"
#include "brim/workload.h"
#include "commands.h"
#include "pools.h"
#include "run_options.h"

// `brim simulate`: a workload on machines that are not here, in the adaptive pool and in fixed ones.
namespace brim::tool {
namespace {

struct Options {
  std::string workload;
  std::vector<std::string> cores;
  std::vector<std::string> memory;
  std::string workers;
  std::string history;
  std::string throughput = "256MiB";
  bool json = false;
};

/// One machine.
struct Cell {
  int cores = 1;
  Bytes memory;
  std::optional<Plan> plan = {};
  std::string refusal = {};  ///< when it cannot be planned there; and what would help
  std::string hint = {};
  TaskTimes times = {};
  LowerBound bound = {};
  std::vector<PoolRun> pools = {};
};

int parse_cores(const std::string& text) {
  int count = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (status != std::errc{} || end != text.data() + text.size() || count < 1 || count > 65536)
    throw UsageError(fmt::format("'{}' is not a number of cores", text), "write --cores 64, or --cores 4,8,32");
  return count;
}

/// `most`: workers of a fixed pool.
void run_pools(Cell& cell, std::int64_t most) {
  const auto& plan = *cell.plan;
  cell.pools = {simulate_pool(plan, cell.times, {}), simulate_hungriest_pool(plan, cell.times, most),
                simulate_core_pool(plan, cell.times, cell.cores)};
}

Cell simulate_cell(const Workload& workload, Machine machine, const PlanOptions& plan_options, const Options& options) {
  Cell cell{machine.cores, plan_options.memory.value_or(machine.budget)};
  machine.memory_total = machine.memory_available = machine.budget = cell.memory;
  try {
    cell.plan = plan(workload.outputs, machine, plan_options);
  } catch (const MemoryError& error) {
    cell.refusal = error.record().what;
    cell.hint = error.record().hint;
    return cell;
  }
  cell.memory = cell.plan->budget();
  cell.times = options.history.empty() ? estimate_times(*cell.plan, parse_bytes(options.throughput))
                                       : read_history_times(*cell.plan, options.history);
  cell.bound = lower_bound(*cell.plan, cell.times);
  // Unless told, as many as memory holds: where tasks wait, more than the cores are the better fixed pool.
  run_pools(cell, plan_options.workers ? cell.plan->max_workers() : cell.plan->total_tasks());
  return cell;
}

std::vector<Cell> simulate_all(const Options& options) {
  const auto workload = load_workload(options.workload);
  auto machine = this_machine();
  auto cores = options.cores;
  if (cores.empty()) cores.push_back(std::to_string(machine.cores));
  auto memory = options.memory;
  if (memory.empty()) memory.emplace_back();
  std::vector<Cell> cells;
  for (const auto& count : cores)
    for (const auto& amount : memory) {
      RunOptions run;
      run.memory = amount;
      run.workers = options.workers;
      PlanOptions defaults;
      defaults.memory = workload.run.memory;
      defaults.task_memory = workload.run.task_memory;
      defaults.workers = workload.run.workers;
      machine.cores = parse_cores(count);
      cells.push_back(simulate_cell(workload, machine, plan_options(run, defaults), options));
    }
  return cells;
}

std::string in_seconds(double seconds) {
  return seconds < 0.001 ? fmt::format("{:.0f} us", seconds * 1e6)
         : seconds < 1   ? fmt::format("{:.1f} ms", seconds * 1e3)
                         : fmt::format("{:.2f} s", seconds);
}

double ratio(double seconds, const LowerBound& bound) { return bound.seconds() > 0 ? seconds / bound.seconds() : 1.0; }

std::string width_of(const PoolRun& pool, std::size_t op) {
  return pool.simulation ? std::to_string(pool.simulation->ops[op].width) : "-";
}

void print_ops(const Cell& cell) {
  const auto ops = cell.plan->ops();
  fmt::print("{:<20} {:>9} {:>13} {:>10} {:>10} {:>9} {:>10} {:>8}\n", "op", "tasks", "projected_mem", "CPU/task",
             "wait/task", "width", "hungriest", "cores");
  for (std::size_t i = 0; i < ops.size(); ++i)
    fmt::print("{:<20} {:>9} {:>13} {:>10} {:>10} {:>9} {:>10} {:>8}\n", ops[i].name, ops[i].tasks,
               to_string(ops[i].projected_mem), in_seconds(cell.times.ops[i].cpu_seconds),
               in_seconds(cell.times.ops[i].wait_seconds), width_of(cell.pools[0], i), width_of(cell.pools[1], i),
               width_of(cell.pools[2], i));
}

void print_bound(const LowerBound& bound) {
  fmt::print("lower bound {}: {}\n", in_seconds(bound.seconds()), bound.binding());
  fmt::print("  memory x time {}, CPU time {}, {}critical path {}, tasks over half {}\n", in_seconds(bound.memory),
             in_seconds(bound.cpu),
             bound.workers > 0 ? fmt::format("time / workers {}, ", in_seconds(bound.workers)) : "",
             in_seconds(bound.critical_path), in_seconds(bound.alone));
}

void print_machine(const Cell& cell, const Options& options) {
  fmt::print("{} cores, budget {}; task times: {}\n\n", cell.cores, to_string(cell.memory),
             options.history.empty()
                 ? fmt::format("estimated (synthetic ops as told, others {} of values a second)", options.throughput)
                 : "measured, " + options.history);
  print_ops(cell);
  fmt::print("\n{:<38} {:>10} {:>10} {:>9} {:>12} {:>10} {:>8}\n", "pool", "makespan", "/ bound", "/ adaptive",
             "memory-time", "peak held", "workers");
  const auto adaptive = cell.pools.front().simulation->makespan_seconds;
  for (const auto& pool : cell.pools) {
    if (!pool.simulation) {
      fmt::print("{:<38} refused: {}\n", pool.pool.name, pool.refusal);
      continue;
    }
    const auto& run = *pool.simulation;
    fmt::print("{:<38} {:>10} {:>10.3f} {:>9.2f} {:>11.0f}% {:>10} {:>8}\n", pool.pool.name,
               in_seconds(run.makespan_seconds), ratio(run.makespan_seconds, cell.bound),
               adaptive > 0 ? run.makespan_seconds / adaptive : 1.0, 100 * run.memory_time_used,
               to_string(run.peak_held), run.workers_peak);
  }
  print_bound(cell.bound);
}

/// A fixed pool's makespan over the adaptive one's.
std::string speedup(const Cell& cell, std::size_t pool) {
  const auto& fixed = cell.pools[pool].simulation;
  const auto adaptive = cell.pools.front().simulation->makespan_seconds;
  return fixed && adaptive > 0 ? fmt::format("{:.2f}", fixed->makespan_seconds / adaptive) : "refused";
}

void print_sweep(const std::vector<Cell>& cells) {
  fmt::print("{:>6} {:>10} {:>11} {:>11} {:<15} {:>8} {:>12} {:>22} {:>20}\n", "cores", "budget", "adaptive", "bound",
             " binding", "/ bound", "memory-time", "hungriest / adaptive", "cores / adaptive");
  for (const auto& cell : cells) {
    if (!cell.plan) {
      fmt::print("{:>6} {:>10} refused: {}\n", cell.cores, to_string(cell.memory), cell.refusal);
      continue;
    }
    const auto& run = *cell.pools.front().simulation;
    fmt::print("{:>6} {:>10} {:>11} {:>11}  {:<14} {:>8.3f} {:>11.0f}% {:>22} {:>20}\n", cell.cores,
               to_string(cell.memory), in_seconds(run.makespan_seconds), in_seconds(cell.bound.seconds()),
               cell.bound.binding(), ratio(run.makespan_seconds, cell.bound), 100 * run.memory_time_used,
               speedup(cell, 1), speedup(cell, 2));
  }
}

nlohmann::json to_json(const PoolRun& pool, const Cell& cell) {
  nlohmann::json json{{"pool", pool.pool.name}, {"refused", !pool.simulation}};
  if (!pool.simulation) {
    json["reason"] = pool.refusal;
    return json;
  }
  const auto& run = *pool.simulation;
  json["makespan_seconds"] = run.makespan_seconds;
  json["ratio_to_bound"] = ratio(run.makespan_seconds, cell.bound);
  json["memory_time_used"] = run.memory_time_used;
  json["peak_held"] = run.peak_held.count();
  json["tasks"] = run.tasks;
  json["workers_peak"] = run.workers_peak;
  json["workers_started"] = run.workers_started;
  for (const auto& op : run.ops) json["ops"].push_back({{"name", op.name}, {"tasks", op.tasks}, {"width", op.width}});
  return json;
}

nlohmann::json to_json(const Cell& cell) {
  nlohmann::json json{{"cores", cell.cores}, {"budget", cell.memory.count()}, {"refused", !cell.plan}};
  if (!cell.plan) {
    json["reason"] = cell.refusal;
    return json;
  }
  json["lower_bound"] = {{"seconds", cell.bound.seconds()}, {"binding", cell.bound.binding()},
                         {"memory", cell.bound.memory},     {"cpu", cell.bound.cpu},
                         {"workers", cell.bound.workers},   {"critical_path", cell.bound.critical_path},
                         {"alone", cell.bound.alone}};
  for (const auto& time : cell.times.ops)
    json["times"].push_back({{"op", time.op},
                             {"cpu_seconds", time.cpu_seconds},
                             {"wait_seconds", time.wait_seconds},
                             {"samples", time.samples}});
  json["worker_start_seconds"] = cell.times.worker_start_seconds;
  for (const auto& pool : cell.pools) json["pools"].push_back(to_json(pool, cell));
  return json;
}

void print(const std::vector<Cell>& cells, const Options& options) {
  if (options.json) {
    nlohmann::json json{{"workload", options.workload}, {"history", options.history}};
    for (const auto& cell : cells) json["machines"].push_back(to_json(cell));
    fmt::print("{}\n", json.dump(2));
  } else if (cells.size() > 1) {
    print_sweep(cells);
  } else if (!cells.front().plan) {
    throw MemoryError(cells.front().refusal, cells.front().hint);
  } else {
    print_machine(cells.front(), options);
  }
}

}  // namespace

void add_simulate(CLI::App& app) {
  auto* command = app.add_subcommand("simulate", "Run a workload on a machine that is not here, with a virtual clock");
  command->footer(
      "The scheduler is that of a real run; tasks take the times of a measured history, or what synthetic ops are "
      "told.\n"
      "Several cores or budgets, separated by commas, give a table of all combinations. The lower bound is what no\n"
      "schedule can beat. hungriest: a fixed pool of workers that each hold the most that any task needs.");
  const auto options = std::make_shared<Options>();
  command->add_option("WORKLOAD", options->workload, "A workload file (TOML)")->required();
  command->add_option("--cores", options->cores, "Cores of the machine (default: as many as here)")->delimiter(',');
  command->add_option("--memory", options->memory, "The budget of the run there (default: as here)")->delimiter(',');
  command->add_option("--workers", options->workers,
                      "Most worker processes at once, or 'unlimited' (default: the cores, more where tasks wait)");
  command->add_option("--history", options->history, "Task times from a file of `brim run --history`");
  command
      ->add_option("--throughput", options->throughput,
                   "Without a history: values that a core reads and writes in a second")
      ->capture_default_str();
  command->add_flag("--json", options->json, "Print JSON, times in seconds, sizes in bytes");
  command->callback([options] { print(simulate_all(*options), *options); });
}

}  // namespace brim::tool
