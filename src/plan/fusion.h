#pragma once

#include <set>
#include <vector>

#include "array/graph.h"
#include "ops/program_builder.h"

namespace brim::planning {

/// What happens to the values of a root.
struct Purpose {
  enum class Kind : std::uint8_t { kStore, kKeep, kReduce } kind;
  std::int32_t target = -1;  ///< kStore: the output of the run
  NodePtr reduction;         ///< kReduce: the reduce node that folds them
};

/// A node whose values a traversal makes chunk by chunk over `loop`.
struct Root {
  NodePtr node;
  ChunkGrid loop;
  std::vector<Purpose> purposes;
  int level = 0;  ///< roots read only what roots of lower levels make
};

/// Roots that one traversal makes together.
using RootGroup = std::vector<Root>;

/// A store as the planner meets it: the node whose values are written, and the loop that suits the file.
struct StoreDemand {
  NodePtr node;
  ChunkGrid loop;
  std::int32_t target = -1;
};

/// Choices that trade memory against work. The planner tries them from the fastest to the leanest.
struct Strategy {
  bool keep_expensive = true;  ///< make an expensive node that is needed twice once, and keep its chunks
  bool spill = false;          ///< what would be held whole goes to a scratch file
  bool merge = true;           ///< one traversal for all roots over the same loop that share something
  std::int64_t fan_in = 64;    ///< partial results that one combine task folds
};

/// Decides what is computed in one pass: elementwise functions and slices fuse into the traversal that needs them, all
/// roots over one loop that share work or inputs into one traversal. Groups are sorted by level.
std::vector<RootGroup> fuse(const std::vector<StoreDemand>& stores, const Strategy& strategy);

}  // namespace brim::planning
