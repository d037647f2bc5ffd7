#include <algorithm>

#include "core/check.h"
#include "plan/lower.h"

namespace brim::planning {
namespace {

/// How many partials to fold along each reduced axis: `fan_in` in all, last axes first, at least two where there are
/// two.
Shape axis_fan_in(const Shape& counts, const std::vector<bool>& reduced, std::int64_t fan_in) {
  Shape folds(counts.size(), 1);
  auto left = std::max<std::int64_t>(fan_in, 2);
  for (std::size_t axis = counts.size(); axis-- > 0;) {
    if (!reduced[axis]) continue;
    folds[axis] = std::clamp<std::int64_t>(counts[axis], 1, left);
    left /= folds[axis];
  }
  return folds;
}

bool one_per_result(const ChunkGrid& grid, const std::vector<bool>& reduced) {
  for (std::size_t axis = 0; axis < reduced.size(); ++axis)
    if (reduced[axis] && grid.shape()[axis] > 1) return false;
  return true;
}

/// The task grid of a combine op over partials, one result per group.
ChunkGrid group_grid(const ChunkGrid& partials, const std::vector<bool>& reduced, const Shape& folds) {
  Shape shape = partials.shape();
  Shape chunk = partials.chunk_shape();
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (!reduced[axis]) continue;
    shape[axis] = std::max<std::int64_t>(1, (shape[axis] + folds[axis] - 1) / folds[axis]);
    chunk[axis] = 1;
  }
  return {shape, chunk};
}

}  // namespace

ChunkGrid reduced_grid(const ChunkGrid& grid, const std::vector<bool>& reduced, bool keepdims) {
  Shape shape;
  Shape chunk;
  for (std::size_t axis = 0; axis < reduced.size(); ++axis) {
    if (reduced[axis] && !keepdims) continue;
    shape.push_back(reduced[axis] ? 1 : grid.shape()[axis]);
    chunk.push_back(reduced[axis] ? 1 : grid.chunk_shape()[axis]);
  }
  return {shape, chunk};
}

std::int64_t reduced_count(const Node& reduction) {
  const auto& reduced = std::get<ReduceNode>(reduction.detail).reduced;
  std::int64_t count = 1;
  for (std::size_t axis = 0; axis < reduced.size(); ++axis)
    if (reduced[axis]) count *= reduction.inputs.front()->shape()[axis];
  return count;
}

void append_reduction_tree(const Node& reduction, const Resident& partials, std::int64_t fan_in,
                           const std::string& name, std::vector<ops::PhysicalOp>& ops) {
  const auto& node = std::get<ReduceNode>(reduction.detail);
  const auto value_dtype = reduction.inputs.front()->dtype;
  Resident from = partials;
  for (int step = 1;; ++step) {
    const auto grid = from.layout[static_cast<std::size_t>(from.part)].grid;
    ops::Combine combine;
    combine.fan_in = axis_fan_in(grid.shape(), node.reduced, fan_in);
    combine.groups = group_grid(grid, node.reduced, combine.fan_in);
    combine.partials.from = ops::ResidentInput{from.op, from.part, from.layout};
    combine.partials.dtype = accumulator_dtype(node.reduction, value_dtype);
    const bool last = one_per_result(combine.groups, node.reduced);
    ops::OpOutput output;
    output.reduce = ops::ReduceStep{node.reduction, value_dtype, node.reduced, std::nullopt};
    if (last) output.reduce->finish_count = reduced_count(reduction);
    output.grid = last ? reduced_grid(combine.groups, node.reduced, node.keepdims) : combine.groups;
    output.dtype = last ? reduction.dtype : combine.partials.dtype;
    output.resident = true;
    ops::PhysicalOp op{name + "-combine" + (step > 1 ? std::to_string(step) : ""), combine, {output}};
    from = {static_cast<std::int32_t>(ops.size()), 0, op.block()};
    ops.push_back(std::move(op));
    if (last) return;
  }
}

}  // namespace brim::planning
