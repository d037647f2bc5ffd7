#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "array/graph.h"
#include "kernels/program.h"
#include "ops/index_map.h"

namespace brim::ops {

/// How a graph node lowers to a traversal: walks from roots down through elementwise functions and slices to leaves
/// (data sets, ranges, and nodes that other ops make), and writes the program and the index maps on the way. A node
/// that is reached twice by the same map is computed once.
class ProgramBuilder {
 public:
  /// A node as it is read by the loop.
  using Use = std::pair<const Node*, IndexMap>;

  /// Nodes in `made_elsewhere` are leaves. Reductions and synthetic work always are.
  explicit ProgramBuilder(const std::set<const Node*>& made_elsewhere) : made_elsewhere_(&made_elsewhere) {}

  /// Adds an output: the values of `root` over a loop of the root's own shape.
  void add_root(const NodePtr& root);

  /// The program, with an input for every entry of leaves().
  kernels::Program program() const;
  const std::vector<std::pair<NodePtr, IndexMap>>& leaves() const { return leaves_; }
  /// Every elementwise use, leaves not counted.
  std::vector<Use> computed() const;
  /// Nodes that had to become leaves because the program grew too long or too deep; they must be made elsewhere.
  const std::set<const Node*>& overflow() const { return overflow_; }

 private:
  /// A value whose number is not known yet: the n-th leaf, constant or instruction.
  struct Value {
    enum class Kind : std::uint8_t { kLeaf, kConstant, kInstruction } kind;
    std::size_t number;
  };
  struct Step {
    kernels::Instruction instruction;
    std::vector<Value> operands;
  };

  Value walk(const NodePtr& node, const IndexMap& map, int depth);
  Value compute(const NodePtr& node, const IndexMap& map, int depth);
  Value add_leaf(const NodePtr& node, const IndexMap& map);
  Value add_elementwise(const Node& node, const ElementwiseNode& detail, const IndexMap& map, int depth);
  Value add_constant(const Scalar& scalar);
  kernels::ValueId number_of(Value value) const;

  const std::set<const Node*>* made_elsewhere_;
  std::map<Use, Value> known_;
  std::vector<std::pair<NodePtr, IndexMap>> leaves_;
  std::vector<Scalar> constants_;
  std::vector<Step> steps_;
  std::vector<Value> roots_;
  std::set<Use> computed_;
  std::set<const Node*> overflow_;
};

}  // namespace brim::ops
