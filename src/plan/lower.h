#pragma once

#include <vector>

#include "ops/physical_op.h"
#include "plan/fusion.h"
#include "storage/output.h"

namespace brim::planning {

/// What the outputs of a run come to: a data set for each that is stored, and the nodes to compute.
struct Demands {
  std::vector<StoreDemand> stores;
  std::vector<storage::OutputDataset> datasets;  ///< by StoreDemand::target
  std::vector<NodePtr> synthetic;                ///< work to be run for itself
};

/// Reads the outputs: converts dtypes, chooses storage chunks, finds the data set whose attributes and dimension names
/// are kept. Throws UsageError for outputs that cannot be.
Demands read_outputs(const std::vector<Output>& outputs);

/// Groups of roots and synthetic work as physical operations in topological order.
std::vector<ops::PhysicalOp> lower(const std::vector<RootGroup>& groups, const std::vector<NodePtr>& synthetic,
                                   const Strategy& strategy);

/// Where the resident chunks of a node lie.
struct Resident {
  std::int32_t op = 0;
  std::int32_t part = 0;
  ops::BlockLayout layout;
};

/// Appends the combine ops that turn the partial results of `reduction` at `partials` into its result, which the last
/// of them keeps; every step folds up to `fan_in` partials.
void append_reduction_tree(const Node& reduction, const Resident& partials, std::int64_t fan_in,
                           const std::string& name, std::vector<ops::PhysicalOp>& ops);

/// `grid` without its reduced axes, or with extent 1 on them.
ChunkGrid reduced_grid(const ChunkGrid& grid, const std::vector<bool>& reduced, bool keepdims);
/// Elements behind every result of a reduction.
std::int64_t reduced_count(const Node& reduction);

}  // namespace brim::planning
