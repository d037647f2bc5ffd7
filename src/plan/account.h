#pragma once

#include "plan/physical_plan.h"

namespace brim::planning {

/// Fills in what the plan's ops hold: their memory models, what coordinator and worker are charged, the sequential peak
/// and the smallest budget with which these ops run.
void account(PhysicalPlan& plan);

}  // namespace brim::planning
