#pragma once

#include <vector>

#include "brim/bytes.h"
#include "ops/physical_op.h"

namespace brim::planning {

/// Sends arrays whose chunks would have to stay in memory as a whole (several tasks may read them) to the run's scratch
/// file, unless they are small. Their blocks then cost memory only in the task that makes them and in those that read
/// them.
void spill_held_arrays(std::vector<ops::PhysicalOp>& ops);

/// How large the scratch file of these ops becomes at most.
Bytes scratch_file_size(const std::vector<ops::PhysicalOp>& ops);

}  // namespace brim::planning
