#include "runtime/task_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "brim/error.h"

namespace brim {
namespace runtime {
namespace {

/// Chunks at an edge are smaller; so many tasks spread over the op tell the mean.
constexpr std::int64_t kTasksLookedAt = 10'000;

double mean_traffic(const PhysicalPlan& plan, const PlanGraph& graph, schedule::OpIndex op) {
  const auto count = graph.task_count(op);
  const auto step = std::max<std::int64_t>(1, count / kTasksLookedAt);
  double sum = 0;
  std::int64_t samples = 0;
  for (std::int64_t index = 0; index < count; index += step, ++samples)
    sum += static_cast<double>(task_traffic(plan, graph, {op, index}).count());
  return samples == 0 ? 0 : sum / static_cast<double>(samples);
}

/// An op's mean work, and for what size.
struct OpWork {
  schedule::TaskWork mean;
  double traffic = 0;
};

}  // namespace

Bytes task_traffic(const PhysicalPlan& plan, const PlanGraph& graph, schedule::TaskId task) {
  const auto block = [&](schedule::TaskId of) {
    return ops::block_size(plan.ops[static_cast<std::size_t>(of.op)].block(), of.index);
  };
  const auto& model = plan.models[static_cast<std::size_t>(task.op)];
  auto traffic = model.task_read(task.index) + model.task_written(task.index) + block(task);
  if (graph.has_dependencies(task.op))
    graph.visit_dependencies(task, [&](schedule::TaskId dependency) { traffic += block(dependency); });
  return traffic;
}

schedule::WorkOf work_of(const PhysicalPlan& plan, const PlanGraph& graph, const TaskTimes& times) {
  bool fits = times.ops.size() == plan.ops.size();
  for (std::size_t i = 0; fits && i < times.ops.size(); ++i) fits = times.ops[i].op == plan.ops[i].name;
  if (!fits) throw UsageError("the times are not those of this plan's ops", "make them for this plan");
  std::vector<OpWork> ops;
  for (std::size_t i = 0; i < times.ops.size(); ++i)
    ops.push_back({{times.ops[i].cpu_seconds, times.ops[i].wait_seconds},
                   mean_traffic(plan, graph, static_cast<schedule::OpIndex>(i))});
  return [&plan, &graph, ops = std::move(ops)](schedule::TaskId task) {
    const auto& op = ops[static_cast<std::size_t>(task.op)];
    if (op.traffic <= 0) return op.mean;
    const auto size = static_cast<double>(task_traffic(plan, graph, task).count()) / op.traffic;
    return schedule::TaskWork{op.mean.cpu_seconds * size, op.mean.wait_seconds * size};
  };
}

void TimeSum::add(const std::string& op, double start, double cpu, double blocked) {
  first_start_ = std::min(start, first_start_.value_or(start));
  auto& sum = sums_[op];
  sum.cpu += cpu;
  sum.blocked += blocked;
  ++sum.samples;
}

TaskTimes TimeSum::means(const PhysicalPlan& plan, const std::string& source) const {
  TaskTimes times;
  if (first_start_) times.worker_start_seconds = *first_start_;
  for (const auto& op : plan.ops) {
    const auto tasks = op.task_count();
    const auto found = sums_.find(op.name);
    if (tasks > 0 && (found == sums_.end() || found->second.samples == 0))
      throw UsageError(fmt::format("{} has no finished task of op {}", source, op.name),
                       "measure a whole run of this workload: brim run WORKLOAD --history FILE");
    auto& time = times.ops.emplace_back();
    time.op = op.name;
    if (tasks == 0) continue;
    const auto& sum = found->second;
    // Another fan-in, on another machine: fewer combine tasks have as much more to do.
    const auto before = sum.task_count > 0 ? sum.task_count : tasks;
    const auto scale = static_cast<double>(before) / static_cast<double>(tasks) / static_cast<double>(sum.samples);
    time.cpu_seconds = sum.cpu * scale;
    time.wait_seconds = sum.blocked * scale;
    time.samples = sum.samples;
  }
  return times;
}

}  // namespace runtime

TaskTimes estimate_times(const Plan& plan, Bytes throughput) {
  if (throughput <= Bytes(0)) throw UsageError("a throughput of nothing", "name more than 0 bytes a second");
  const auto& physical = plan.physical();
  const runtime::PlanGraph graph(physical);
  TaskTimes times;
  for (std::size_t i = 0; i < physical.ops.size(); ++i) {
    auto& time = times.ops.emplace_back();
    time.op = physical.ops[i].name;
    if (const auto* synthetic = std::get_if<ops::Synthetic>(&physical.ops[i].detail)) {
      time.cpu_seconds = static_cast<double>(synthetic->cpu_nanoseconds) * 1e-9;
      time.wait_seconds = static_cast<double>(synthetic->wait_nanoseconds) * 1e-9;
    } else {
      time.cpu_seconds = runtime::mean_traffic(physical, graph, static_cast<schedule::OpIndex>(i)) /
                         static_cast<double>(throughput.count());
    }
  }
  return times;
}

TaskTimes measured_times(const Plan& plan, const std::vector<TaskRecord>& tasks) {
  runtime::TimeSum sum;
  const auto seconds = [](std::chrono::nanoseconds time) { return std::chrono::duration<double>(time).count(); };
  for (const auto& task : tasks) sum.add(task.op, seconds(task.start), seconds(task.cpu), seconds(task.blocked));
  return sum.means(plan.physical(), "the run");
}

}  // namespace brim
