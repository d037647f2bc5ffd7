#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "brim/array.h"
#include "core/function.h"
#include "core/reduction.h"
#include "core/scalar.h"
#include "storage/source.h"

namespace brim {

using NodePtr = std::shared_ptr<const Node>;

struct SourceNode {
  storage::Source source;
};
struct FullNode {
  Scalar value;  ///< of the node's dtype
};
/// value(i) = start + i * step along the only axis, computed in the node's dtype kind (int64/uint64 or float64), then
/// converted; linspace sets `last` so that the end is hit exactly.
struct RangeNode {
  Scalar start;
  Scalar step;
  std::optional<double> last;
};
/// function(inputs...) with NumPy broadcasting (shapes aligned at the last axis). Inputs already have operand_dtype:
/// the array functions insert astype nodes (the condition of where is bool).
struct ElementwiseNode {
  Function function;
  DType operand_dtype;
};
/// How one result axis, or one dropped input axis, comes about.
struct AxisIndex {
  enum class Kind : std::uint8_t { kSlice, kInteger, kNewAxis } kind = Kind::kSlice;
  std::int64_t start = 0;  ///< first input index (kSlice, kInteger), already >= 0
  std::int64_t step = 1;   ///< kSlice; may be negative
  std::int64_t count = 0;  ///< kSlice: result extent
};
/// Entries in order; kSlice consumes one input axis and makes one result axis, kInteger consumes one, kNewAxis makes
/// one of extent 1. All input axes are consumed (the ellipsis is already spelled out).
struct IndexNode {
  std::vector<AxisIndex> axes;
};
struct ReduceNode {
  Reduction reduction;
  std::vector<bool> reduced;  ///< one per input axis
  bool keepdims = false;
};
struct SyntheticNode {
  Bytes memory;
  Bytes touched;
  std::int64_t cpu_nanoseconds = 0;
  std::int64_t wait_nanoseconds = 0;
};

using NodeDetail = std::variant<SourceNode, FullNode, RangeNode, ElementwiseNode, IndexNode, ReduceNode, SyntheticNode>;

/// A node of the logical graph: memory-free and immutable (D1).
struct Node {
  Node() = default;
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  ~Node();

  DType dtype = DType::kFloat64;
  ChunkGrid grid;
  std::vector<NodePtr> inputs;  ///< Synthetic: the arrays it comes after
  NodeDetail detail;
  std::string name;  ///< the workload's name for it, or empty; ops are named after it

  const Shape& shape() const { return grid.shape(); }
};

/// A new node as an array.
Array make_array(DType dtype, ChunkGrid grid, std::vector<NodePtr> inputs, NodeDetail detail, std::string name = {});

/// The same node under a name.
Array named(const Array& array, std::string name);

}  // namespace brim
