#include <algorithm>

#include "ops/physical_op.h"

namespace brim::ops {
namespace {

void sort_unique(auto& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

void add_chunks(const ResidentInput& from, const Box& region, std::vector<Dependency>& found) {
  const auto& grid = from.chunks().grid;
  for_each_chunk(grid, grid.chunks_touching(region), [&](std::int64_t chunk) { found.push_back({from.op, chunk}); });
}

void collect(const Traversal& op, std::int64_t task, std::vector<Dependency>& found) {
  const Box box = op.loop.box(task);
  for (const auto& input : op.inputs)
    if (const auto* from = std::get_if<ResidentInput>(&input.from))
      add_chunks(*from, input_region(input.map, box), found);
}

void collect(const Combine& op, std::int64_t task, std::vector<Dependency>& found) {
  add_chunks(std::get<ResidentInput>(op.partials.from), combine_region(op, task), found);
}

/// Task i of `tasks` covers the fraction [i, i + 1) / tasks of the work; it waits for all tasks that share a part of
/// it.
void collect(const Synthetic& op, std::int64_t task, std::vector<Dependency>& found) {
  for (const auto& after : op.after) {
    const auto first = task * after.tasks / op.tasks;
    const auto stop = ((task + 1) * after.tasks + op.tasks - 1) / op.tasks;
    for (auto other = first; other < stop; ++other) found.push_back({after.op, other});
  }
}

void collect(const Traversal& op, std::int32_t producer, std::int64_t task, std::vector<std::int64_t>& found) {
  for (const auto& input : op.inputs) {
    const auto* from = std::get_if<ResidentInput>(&input.from);
    if (from == nullptr || from->op != producer) continue;
    const auto chunks = find_loop_chunks_reading(input.map, op.loop, from->chunks().grid.box(task));
    if (chunks) for_each_chunk(op.loop, *chunks, [&](std::int64_t chunk) { found.push_back(chunk); });
  }
}

void collect(const Combine& op, std::int32_t producer, std::int64_t task, std::vector<std::int64_t>& found) {
  const auto& from = std::get<ResidentInput>(op.partials.from);
  if (from.op != producer) return;
  auto at = from.chunks().grid.coordinates(task);
  for (std::size_t axis = 0; axis < at.size(); ++axis) at[axis] /= op.fan_in[axis];
  found.push_back(op.groups.index(at));
}

void collect(const Synthetic& op, std::int32_t producer, std::int64_t task, std::vector<std::int64_t>& found) {
  for (const auto& after : op.after) {
    if (after.op != producer) continue;
    const auto first = task * op.tasks / after.tasks;
    const auto stop = ((task + 1) * op.tasks + after.tasks - 1) / after.tasks;
    for (auto waiting = first; waiting < stop; ++waiting) found.push_back(waiting);
  }
}

}  // namespace

Box combine_region(const Combine& op, std::int64_t task) {
  const auto& grid = std::get<ResidentInput>(op.partials.from).chunks().grid;
  const auto at = op.groups.coordinates(task);
  Box region{Shape(at.size()), Shape(at.size())};
  for (std::size_t axis = 0; axis < at.size(); ++axis) {
    const auto extent = grid.shape()[axis];
    const auto step = op.fan_in[axis] * grid.chunk_shape()[axis];
    region.start[axis] = std::min(extent, at[axis] * step);
    region.stop[axis] = std::min(extent, (at[axis] + 1) * step);
  }
  return region;
}

std::vector<Dependency> dependencies(const PhysicalOp& op, std::int64_t task) {
  std::vector<Dependency> found;
  std::visit([&](const auto& detail) { collect(detail, task, found); }, op.detail);
  sort_unique(found);
  return found;
}

std::vector<std::int64_t> dependents(const PhysicalOp& op, std::int32_t producer, std::int64_t producer_task) {
  std::vector<std::int64_t> found;
  std::visit([&](const auto& detail) { collect(detail, producer, producer_task, found); }, op.detail);
  sort_unique(found);
  return found;
}

std::vector<std::int32_t> producers(const PhysicalOp& op) {
  std::vector<std::int32_t> found;
  const auto add = [&](const OpInput& input) {
    if (const auto* from = std::get_if<ResidentInput>(&input.from)) found.push_back(from->op);
  };
  if (const auto* traversal = std::get_if<Traversal>(&op.detail))
    std::for_each(traversal->inputs.begin(), traversal->inputs.end(), add);
  if (const auto* combine = std::get_if<Combine>(&op.detail)) add(combine->partials);
  if (const auto* synthetic = std::get_if<Synthetic>(&op.detail))
    for (const auto& after : synthetic->after) found.push_back(after.op);
  sort_unique(found);
  return found;
}

}  // namespace brim::ops
