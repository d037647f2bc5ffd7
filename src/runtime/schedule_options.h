#pragma once

#include "plan/physical_plan.h"
#include "schedule/scheduler.h"

namespace brim::runtime {

/// What a plan says to the scheduler, in a run and in a simulated one alike.
schedule::Options schedule_options(const PhysicalPlan& plan);

}  // namespace brim::runtime
