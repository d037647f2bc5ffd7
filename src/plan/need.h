#pragma once

#include <vector>

#include "ops/memory_model.h"
#include "ops/physical_op.h"

namespace brim::planning {

/// What a plan holds when its tasks run one at a time in the sequential order: each task preceded, depth first, by the
/// tasks it depends on.
struct SequentialNeed {
  Bytes peak;          ///< upper bound of temporary and resident memory together
  Bytes resident;      ///< upper bound of the resident part
  std::size_t op = 0;  ///< the op whose tasks decide the peak
};

/// Whose chunks several tasks may read, by op: they may have to stay until the last of them, so they count whole.
std::vector<bool> held_whole(const std::vector<ops::PhysicalOp>& ops);

/// Computed op by op, not task by task, so that ten million tasks cost nothing. Chunks that several tasks read may have
/// to stay until the last of them: those arrays count whole. Chunks that one task reads count as often as that task
/// needs them.
SequentialNeed sequential_need(const std::vector<ops::PhysicalOp>& ops, const std::vector<ops::OpModel>& models);

}  // namespace brim::planning
