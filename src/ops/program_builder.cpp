#include "ops/program_builder.h"

#include <algorithm>

#include "core/check.h"

namespace brim::ops {
namespace {

/// Beyond these a program is cut and goes on in another op: registers are numbered with 16 bits, and the walk is
/// recursive. Far above what formulas of people need.
constexpr std::size_t kMaxInstructions = 2000;
constexpr int kMaxDepth = 1000;

/// The map by which an operand of an elementwise node is read: aligned at the last axis, extents of 1 repeated.
IndexMap broadcast_operand(const IndexMap& map, const Shape& result, const Shape& operand) {
  const auto offset = result.size() - operand.size();
  IndexMap refs(operand.size());
  for (std::size_t axis = 0; axis < operand.size(); ++axis) {
    const bool repeated = operand[axis] == 1 && result[offset + axis] != 1;
    refs[axis] = repeated ? AxisRef{-1, 0, 1} : map[offset + axis];
  }
  return refs;
}

AxisRef sliced(const AxisRef& ref, const AxisIndex& slice) {
  return {ref.loop_axis, slice.start + slice.step * ref.start, slice.step * ref.step};
}

/// The map by which the input of an index node is read.
IndexMap indexed_operand(const IndexMap& map, const IndexNode& node) {
  IndexMap refs;
  std::size_t axis = 0;
  for (const auto& entry : node.axes) {
    if (entry.kind == AxisIndex::Kind::kInteger) refs.push_back({-1, entry.start, 1});
    if (entry.kind == AxisIndex::Kind::kSlice) refs.push_back(sliced(map[axis], entry));
    if (entry.kind != AxisIndex::Kind::kInteger) ++axis;
  }
  return refs;
}

}  // namespace

void ProgramBuilder::add_root(const NodePtr& root) { roots_.push_back(walk(root, identity_map(root->grid.rank()), 0)); }

ProgramBuilder::Value ProgramBuilder::walk(const NodePtr& node, const IndexMap& map, int depth) {
  const Use use{node.get(), map};
  if (const auto found = known_.find(use); found != known_.end()) return found->second;
  const auto value = compute(node, map, depth);
  known_.emplace(use, value);
  return value;
}

ProgramBuilder::Value ProgramBuilder::compute(const NodePtr& node, const IndexMap& map, int depth) {
  if (const auto* full = std::get_if<FullNode>(&node->detail)) return add_constant(full->value);
  const bool is_root = depth == 0;
  const auto* elementwise = std::get_if<ElementwiseNode>(&node->detail);
  const auto* index = std::get_if<IndexNode>(&node->detail);
  // A root that other ops read is made here: it is a leaf everywhere but at its own root.
  if ((elementwise == nullptr && index == nullptr) || (!is_root && made_elsewhere_->contains(node.get())))
    return add_leaf(node, map);
  if (!is_root && (depth > kMaxDepth || steps_.size() > kMaxInstructions)) {
    overflow_.insert(node.get());
    return add_leaf(node, map);
  }
  if (index != nullptr) return walk(node->inputs.front(), indexed_operand(map, *index), depth + 1);
  return add_elementwise(*node, *elementwise, map, depth);
}

ProgramBuilder::Value ProgramBuilder::add_leaf(const NodePtr& node, const IndexMap& map) {
  leaves_.emplace_back(node, map);
  return {Value::Kind::kLeaf, leaves_.size() - 1};
}

ProgramBuilder::Value ProgramBuilder::add_elementwise(const Node& node, const ElementwiseNode& detail,
                                                      const IndexMap& map, int depth) {
  Step step;
  step.instruction.function = detail.function;
  step.instruction.operand_dtype = detail.operand_dtype;
  step.instruction.result_dtype = node.dtype;
  for (const auto& input : node.inputs)
    step.operands.push_back(walk(input, broadcast_operand(map, node.shape(), input->shape()), depth + 1));
  computed_.emplace(&node, map);
  steps_.push_back(std::move(step));
  return {Value::Kind::kInstruction, steps_.size() - 1};
}

ProgramBuilder::Value ProgramBuilder::add_constant(const Scalar& scalar) {
  constants_.push_back(scalar);
  return {Value::Kind::kConstant, constants_.size() - 1};
}

kernels::ValueId ProgramBuilder::number_of(Value value) const {
  auto number = value.number;
  if (value.kind != Value::Kind::kLeaf) number += leaves_.size();
  if (value.kind == Value::Kind::kInstruction) number += constants_.size();
  check(number <= UINT16_MAX, "a program of more values than it can number");
  return static_cast<kernels::ValueId>(number);
}

kernels::Program ProgramBuilder::program() const {
  kernels::Program program;
  for (const auto& [node, map] : leaves_) program.inputs.push_back(node->dtype);
  program.constants = constants_;
  for (const auto& step : steps_) {
    auto instruction = step.instruction;
    for (std::size_t i = 0; i < step.operands.size(); ++i) instruction.operands[i] = number_of(step.operands[i]);
    program.instructions.push_back(instruction);
  }
  for (const auto& root : roots_) program.outputs.push_back(number_of(root));
  return program;
}

std::vector<ProgramBuilder::Use> ProgramBuilder::computed() const { return {computed_.begin(), computed_.end()}; }

}  // namespace brim::ops
