#include "pack/measure.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "brim/error.h"
#include "pack/tree_memory.h"

namespace brim::tool {
namespace {

/// Keeps the records of all tasks.
class TaskCollector : public Observer {
 public:
  void on_task(const TaskRecord& task) override { tasks_.push_back(task); }
  const std::vector<TaskRecord>& tasks() const { return tasks_; }

 private:
  std::vector<TaskRecord> tasks_;
};

double seconds(std::chrono::nanoseconds time) { return std::chrono::duration<double>(time).count(); }

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

/// Planned as on this machine; fixed pools as simulated with estimated times, which say whether they can run it.
PackResult prepare(const Plan& plan, const PackWorkload& workload, int cores) {
  const auto times = estimate_times(plan);
  PackResult result{workload, plan.budget(), plan.total_tasks()};
  std::vector<PoolRun> pools = {
      simulate_pool(plan, times, {}),
      simulate_pool(plan, times, {.name = "adaptive, op by op", .overlap = false}),
      simulate_pool(plan, times, {.name = "adaptive, one thread a task", .extra_threads = false}),
      simulate_hungriest_pool(plan, times, plan.total_tasks()),
      simulate_core_pool(plan, times, cores),
  };
  for (auto& run : pools) result.cells.push_back({std::move(run.pool), std::move(run.refusal)});
  return result;
}

void record(const Report& report, const Plan& plan, Bytes peak, PackCell& cell) {
  cell.seconds.push_back(seconds(report.wall));
  cell.memory_bound = seconds(report.memory_bound) / seconds(report.wall);
  cell.memory_bound_used = report.memory_bound_used;
  cell.overshoot = std::max(cell.overshoot, peak - plan.budget());
  std::int64_t faults = 0;
  for (const auto& op : report.ops) {
    faults += op.minor_faults;
    if (op.projected_mem > Bytes(0))
      cell.measured_over_projected =
          std::max(cell.measured_over_projected,
                   static_cast<double>(op.measured_mem.count()) / static_cast<double>(op.projected_mem.count()));
  }
  cell.retries = std::max(cell.retries, report.retries);
  cell.resizes = std::max(cell.resizes, report.resizes);
  cell.resize_seconds = std::max(cell.resize_seconds, seconds(report.resize_time));
  cell.faults_per_task =
      std::max(cell.faults_per_task, static_cast<double>(faults) / static_cast<double>(report.tasks));
}

/// One run of one pool, with its records.
std::vector<TaskRecord> run_round(const Plan& plan, const PackWorkload& workload, PackCell& cell,
                                  InterruptGuard& guard) {
  warm_up_memory(plan.budget());
  const auto collector = std::make_shared<TaskCollector>();
  auto options = executor_options(cell.pool);
  options.observers = {collector};
  Executor executor(options);
  const TreeMemorySampler sampler;
  const auto report = guard.run(executor, plan);
  record(report, plan, sampler.peak(), cell);
  if (workload.check) workload.check();
  return collector->tasks();
}

/// A fixed pool that fails in the middle of the work is a result as well.
void run_fixed_round(const Plan& plan, const PackWorkload& workload, PackCell& cell, InterruptGuard& guard) {
  try {
    run_round(plan, workload, cell, guard);
  } catch (const MemoryError& error) {
    cell.refusal = error.record().what;
  } catch (const WorkerError& error) {
    cell.refusal = error.record().what;
  }
}

void compare_with_simulation(const Plan& plan, const std::vector<TaskRecord>& tasks, PackResult& result) {
  const auto times = measured_times(plan, tasks);
  result.bound = lower_bound(plan, times);
  for (auto& cell : result.cells) {
    if (!cell.refusal.empty()) continue;
    const auto run = simulate_pool(plan, times, cell.pool);
    if (run.simulation) cell.simulated_seconds = run.simulation->makespan_seconds;
  }
}

}  // namespace

double PackCell::median_seconds() const {
  auto sorted = seconds;
  std::sort(sorted.begin(), sorted.end());
  return sorted[sorted.size() / 2];
}

double PackResult::to_best_fixed() const {
  double best = 0;
  for (const auto& cell : cells)
    if (cell.pool.fixed_workers && cell.refusal.empty() && cell.overshoot <= Bytes(0))
      best = best > 0 ? std::min(best, cell.median_seconds()) : cell.median_seconds();
  return best > 0 ? cells.front().median_seconds() / best : 0;
}

PackResult measure(const PackWorkload& workload, const Machine& machine, std::int64_t rounds, InterruptGuard& guard,
                   const std::function<void(const std::string&)>& progress) {
  const auto made = plan(workload.outputs, machine, {.task_memory = workload.task_memory});
  if (made.budget() > machine.budget)
    throw MemoryError(fmt::format("the benchmark would hold {}, this machine can give {}", to_string(made.budget()),
                                  to_string(machine.budget)),
                      "lower --task-memory");
  auto result = prepare(made, workload, machine.cores);
  std::vector<TaskRecord> tasks;
  for (std::int64_t round = 0; round < rounds; ++round)
    for (auto& cell : result.cells) {
      if (!cell.refusal.empty()) continue;
      progress(fmt::format("({}) {}, round {} of {}", workload.letter, cell.pool.name, round + 1, rounds));
      guard.check();
      if (cell.pool.fixed_workers)
        run_fixed_round(made, workload, cell, guard);
      else if (auto records = run_round(made, workload, cell, guard); &cell == &result.cells.front())
        tasks = std::move(records);
    }
  compare_with_simulation(made, tasks, result);
  return result;
}

}  // namespace brim::tool
