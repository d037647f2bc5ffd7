#pragma once

#include <map>
#include <optional>
#include <string>

#include "brim/simulate.h"
#include "plan/physical_plan.h"
#include "runtime/plan_graph.h"
#include "schedule/task_work.h"

namespace brim::runtime {

/// Bytes of values that a task reads and writes, in files and in chunks for other tasks.
Bytes task_traffic(const PhysicalPlan& plan, const PlanGraph& graph, schedule::TaskId task);

/// The work of each task: its op's mean, by size. Borrows plan and graph. Throws UsageError when `times` are not one
/// for each op of the plan, in order.
schedule::WorkOf work_of(const PhysicalPlan& plan, const PlanGraph& graph, const TaskTimes& times);

/// Finished tasks of ops, added up.
class TimeSum {
 public:
  /// All in seconds; `start` since that of the run.
  void add(const std::string& op, double start, double cpu, double blocked);
  /// Nothing is known of how many tasks an op had, if it is not told: as many as in the plan.
  void set_task_count(const std::string& op, std::int64_t count) { sums_[op].task_count = count; }
  /// Means for the plan's ops; `source` names where they are from in errors.
  TaskTimes means(const PhysicalPlan& plan, const std::string& source) const;

 private:
  struct Sum {
    double cpu = 0;
    double blocked = 0;
    std::int64_t samples = 0;
    std::int64_t task_count = 0;
  };
  std::map<std::string, Sum> sums_;
  std::optional<double> first_start_;
};

}  // namespace brim::runtime
