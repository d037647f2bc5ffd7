#pragma once

#include "plan/physical_plan.h"
#include "storage/journal.h"

namespace brim::runtime {

/// Throws StorageError when a file that the plan reads is no longer the one that it was planned with. Workers look when
/// they open it; this, after the last task, finds what was written into it while it was open.
void require_unchanged_inputs(const PhysicalPlan& plan);

/// What a resumed run must have in common with the one that was stopped.
storage::RunIdentity identity_of(const PhysicalPlan& plan);

}  // namespace brim::runtime
