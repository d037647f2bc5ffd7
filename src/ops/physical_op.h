#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "array/graph.h"
#include "brim/chunk_grid.h"
#include "core/archive.h"
#include "core/reduction.h"
#include "kernels/program.h"
#include "ops/index_map.h"
#include "storage/source.h"

namespace brim::ops {

/// One of the chunks in a task's resident block; they lie behind one another in the order of the op's outputs.
struct BlockPart {
  ChunkGrid grid;  ///< chunk number = task number
  DType dtype = DType::kFloat64;
};
using BlockLayout = std::vector<BlockPart>;

/// Bytes of the whole block of task `index`.
Bytes block_size(const BlockLayout& layout, std::int64_t index);
/// Where part number `part` of that block starts.
std::int64_t part_offset(const BlockLayout& layout, std::size_t part, std::int64_t index);

/// Where the blocks of an op's tasks lie in the run's scratch file when they are not kept in memory: task number i at
/// start + i * distance.
struct Spill {
  std::int64_t start = 0;
  std::int64_t distance = 0;
};

/// Read from a file.
struct DatasetInput {
  storage::Source source;
};
/// Read from the resident chunks of an earlier op.
struct ResidentInput {
  std::int32_t op = 0;    ///< its number in the plan
  std::int32_t part = 0;  ///< which chunk of its blocks
  BlockLayout layout;
  std::optional<Spill> spill = {};  ///< its producer's
  const BlockPart& chunks() const { return layout[static_cast<std::size_t>(part)]; }
};
/// Counted: arange and linspace.
struct RangeInput {
  RangeNode range;
  std::int64_t count = 0;  ///< values in all
};

/// Something that an op's loop reads, and how.
struct OpInput {
  std::variant<DatasetInput, ResidentInput, RangeInput> from;
  DType dtype = DType::kFloat64;
  IndexMap map;
};

/// How loop values become a chunk of fewer elements.
struct ReduceStep {
  Reduction reduction = Reduction::kSum;
  DType dtype = DType::kFloat64;  ///< of the values that enter, before any accumulation
  std::vector<bool> reduced;      ///< one per loop axis
  /// Elements behind every result, when this step is the last; nothing leaves accumulators for a combine op.
  std::optional<std::int64_t> finish_count;
};

/// A value that the tasks of an op make. Chunk number = task number.
struct OpOutput {
  ChunkGrid grid;
  DType dtype = DType::kFloat64;
  std::optional<ReduceStep> reduce;
  bool resident = false;               ///< kept in the task's block for other ops
  std::optional<std::int32_t> target;  ///< written to this output of the run
};

/// One pass over a chunk of a loop: reads inputs, evaluates a program, keeps, stores or reduces its values.
struct Traversal {
  ChunkGrid loop;
  std::vector<OpInput> inputs;
  kernels::Program program;  ///< inputs and outputs in the order of `inputs` and of the op's outputs
};

/// One step of a reduction tree: folds up to fan_in partial results along every reduced axis.
struct Combine {
  OpInput partials;  ///< always a ResidentInput
  Shape fan_in;      ///< per axis of the partials; 1 on axes that are not reduced
  ChunkGrid groups;  ///< task grid: ceil(partials / fan_in), at least 1 on reduced axes
};

/// Touches memory, burns CPU time and waits.
struct Synthetic {
  std::int64_t tasks = 0;
  Bytes memory;   ///< declared
  Bytes touched;  ///< in truth
  std::int64_t cpu_nanoseconds = 0;
  std::int64_t wait_nanoseconds = 0;
  struct After {
    std::int32_t op;
    std::int64_t tasks;
  };
  std::vector<After> after;
};

/// A physical operation: a plain value that the archive carries to the workers.
struct PhysicalOp {
  std::string name;
  std::variant<Traversal, Combine, Synthetic> detail;
  std::vector<OpOutput> outputs;
  std::optional<Spill> spill = {};  ///< the blocks of its tasks go to the scratch file
  std::string scratch_file = {};    ///< of this run, where blocks are spilled or read from there
  std::int32_t threads = 1;         ///< most that a task may use; the memory model holds for as many

  std::int64_t task_count() const;
  /// "traversal", "combine", "synthetic".
  std::string_view kind() const;
  /// The resident outputs.
  BlockLayout block() const;

  void put(ArchiveWriter& archive) const;
  static PhysicalOp get(ArchiveReader& archive);
};

/// The part of the partials that a combine task folds; empty on a reduced axis without elements.
Box combine_region(const Combine& op, std::int64_t task);

/// A task of another op that a task waits for.
struct Dependency {
  std::int32_t op = 0;
  std::int64_t task = 0;
  friend auto operator<=>(const Dependency&, const Dependency&) = default;
};

/// Every task that `task` of `op` waits for, sorted, each once: the order of TaskContext::inputs.
std::vector<Dependency> dependencies(const PhysicalOp& op, std::int64_t task);

/// Every task of `op` that waits for `producer_task` of op number `producer`, sorted, each once.
std::vector<std::int64_t> dependents(const PhysicalOp& op, std::int32_t producer, std::int64_t producer_task);

/// The numbers of the ops that `op` reads from, each once.
std::vector<std::int32_t> producers(const PhysicalOp& op);

}  // namespace brim::ops
