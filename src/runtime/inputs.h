#pragma once

#include "plan/physical_plan.h"

namespace brim::runtime {

/// Throws StorageError when a file that the plan reads is no longer the one that it was planned with. Workers look when
/// they open it; this, after the last task, finds what was written into it while it was open.
void require_unchanged_inputs(const PhysicalPlan& plan);

}  // namespace brim::runtime
