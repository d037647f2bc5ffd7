#pragma once

#include <vector>

#include "plan/physical_plan.h"
#include "schedule/task_graph.h"
#include "storage/journal.h"

namespace brim::runtime {

/// Does the task leave anything that outlives the run? Tasks of other ops make chunks for others only.
bool leaves_result(const ops::PhysicalOp& op);

/// The tasks that a resumed run need not run: those with a result in the file whose chunks no other task needs, and
/// those that made chunks for such tasks only.
std::vector<schedule::TaskId> tasks_to_skip(const PhysicalPlan& plan, const schedule::TaskGraph& graph,
                                            const std::vector<storage::FinishedTask>& finished);

}  // namespace brim::runtime
