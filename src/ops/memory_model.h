#pragma once

#include <vector>

#include "brim/bytes.h"
#include "ops/physical_op.h"
#include "storage/output.h"

namespace brim::ops {

/// What one task holds at its peak, by purpose. The parts add up to the projection exactly.
struct TaskMemory {
  Bytes inputs;       ///< regions read from storage or gathered from several resident chunks
  Bytes codec;        ///< raw chunks on their way from or to a file
  Bytes temporaries;  ///< tiles of the program, bands and accumulators of reductions
  Bytes outputs;      ///< chunks on their way to a file
  Bytes resident;     ///< the task's block of shared memory

  /// Private memory: what the worker's scratch must hold.
  Bytes temporary() const { return inputs + codec + temporaries + outputs; }
  /// projected_mem: temporary and resident.
  Bytes projected() const { return temporary() + resident; }
};

/// The memory model of one op. Exact: the task body takes just these pieces, in the same order, from a scratch of
/// temporary() bytes, and MemoryExceeded tells where the two disagree.
class OpModel {
 public:
  OpModel(const PhysicalOp& op, const std::vector<storage::OutputDataset>& datasets);

  TaskMemory task(std::int64_t index) const;
  /// The largest task. On a regular grid that is the first: edge chunks are cut off, never longer.
  TaskMemory largest() const;
  /// What the HDF5 library allocates in a worker that runs this op, for as long as the worker lives.
  Bytes library() const { return library_; }
  /// Bytes of values that a task takes from data sets and gives to them.
  Bytes task_read(std::int64_t index) const;
  Bytes task_written(std::int64_t index) const;

 private:
  TaskMemory traversal(const Traversal& traversal, std::int64_t index) const;
  TaskMemory combine(const Combine& combine, std::int64_t index) const;

  const PhysicalOp* op_;
  std::vector<bool> copied_;  ///< per traversal input: needs a buffer of its own
  std::int64_t workspace_ = 0;
  std::int64_t read_scratch_ = 0;
  std::int64_t write_scratch_ = 0;
  Bytes spilled_inputs_;  ///< blocks that a task reads back
  Bytes library_;
};

/// Scratch that a reduction or store output takes from task start to end (accumulators, results, chunk to write), given
/// the shape of its accumulators.
struct OutputScratch {
  std::int64_t accumulators = 0;
  std::int64_t values = 0;
};
OutputScratch output_scratch(const OpOutput& output, std::int64_t task);

}  // namespace brim::ops
