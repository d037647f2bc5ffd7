#pragma once

#include "plan/physical_plan.h"

namespace brim::planning {

/// How many tasks of op number `op` may run at once in the plan's budget.
std::int64_t width(const PhysicalPlan& plan, std::size_t op);

/// Lets tasks of ops of which fewer than the cores may run at once use the cores that are left: memory for their
/// threads is part of their projection from then on. Changes nothing where that would not fit the budget.
void share_cores(PhysicalPlan& plan);

}  // namespace brim::planning
