#pragma once

#include <map>
#include <vector>

#include "ops/op.h"
#include "ops/physical_op.h"

namespace brim::ops {

/// The resident chunks a task was given, found by the task that made them.
class ResidentChunks {
 public:
  ResidentChunks(const PhysicalOp& op, const TaskContext& context);
  /// The chunk of `input` that task `chunk` of its producer made.
  const std::byte* chunk(const ResidentInput& input, std::int64_t chunk) const;

 private:
  std::vector<Dependency> dependencies_;
  std::span<const std::span<const std::byte>> blocks_;
};

/// Memory for the outputs of one task: accumulators and values, in the task's resident block or in scratch.
class OutputChunks {
 public:
  OutputChunks(const PhysicalOp& op, TaskContext& context);
  /// Where reducing output number `output` is accumulated.
  std::span<std::byte> accumulators(std::size_t output) const { return accumulators_[output]; }
  /// Where the chunk of output number `output` goes.
  std::span<std::byte> values(std::size_t output) const { return values_[output]; }

 private:
  std::vector<std::span<std::byte>> accumulators_;
  std::vector<std::span<std::byte>> values_;
};

/// Writes the outputs of an op that have a target.
class Stores {
 public:
  Stores(const PhysicalOp& op, const std::vector<storage::OutputTarget>& targets);
  void write(const PhysicalOp& op, const OutputChunks& chunks, TaskContext& context);

 private:
  std::map<std::size_t, storage::Writer> writers_;  ///< by output number
};

/// Accumulators to results where this op's reduction is the last step.
void finish_reductions(const PhysicalOp& op, const OutputChunks& chunks);

std::unique_ptr<OpBody> make_traversal(PhysicalOp op, const std::vector<storage::OutputTarget>& targets);
std::unique_ptr<OpBody> make_combine(PhysicalOp op, const std::vector<storage::OutputTarget>& targets);
std::unique_ptr<OpBody> make_synthetic(PhysicalOp op);
/// `body` with its spilled blocks brought in before it runs, and its own written out afterwards.
std::unique_ptr<OpBody> make_spilling(PhysicalOp op, std::unique_ptr<OpBody> body);

}  // namespace brim::ops
