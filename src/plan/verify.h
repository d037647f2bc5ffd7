#pragma once

#include "plan/physical_plan.h"

namespace brim::planning {

/// Holds a plan against the rules that the executor relies on; throws InternalError where one is broken.
void verify(const PhysicalPlan& plan);

}  // namespace brim::planning
