#pragma once

#include "plan/physical_plan.h"

namespace brim::planning {

/// Throws the MemoryError that says why `plan` does not fit its budget and what to do (D12).
[[noreturn]] void refuse(const PhysicalPlan& plan);

}  // namespace brim::planning
