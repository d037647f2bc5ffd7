#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "brim/array.h"
#include "brim/bytes.h"
#include "brim/machine.h"

namespace brim {

struct PhysicalPlan;  // what the executor runs; private

/// projected_mem of one task, by purpose. The parts add up to the projection.
struct MemoryBreakdown {
  Bytes inputs;       ///< regions read from storage or gathered from several resident chunks
  Bytes codec;        ///< raw chunks on their way from or to a file
  Bytes temporaries;  ///< tiles of the elementwise program, accumulators of reductions
  Bytes outputs;      ///< chunks on their way to a file
  Bytes resident;     ///< output chunk kept in shared memory for other ops
};

/// One physical operation of a plan.
struct OpSummary {
  std::string name;
  std::string kind;  ///< "traversal", "combine", "synthetic"
  std::int64_t tasks = 0;
  Bytes projected_mem;             ///< of the largest task
  MemoryBreakdown breakdown;       ///< of that task
  std::int64_t width = 0;          ///< how many such tasks may run at once
  std::int64_t threads = 1;        ///< most cores that one of them may use, where width leaves some
  Bytes read;                      ///< values all tasks take from data sets
  Bytes written;                   ///< values all tasks give to data sets
  Bytes spilled;                   ///< chunks for other ops that go to the scratch file: memory has no room for them
  std::vector<std::string> fused;  ///< the functions that one pass computes, in order
  std::vector<std::string> after;  ///< names of the ops whose chunks it reads
};

/// Who may use how much. Everything left out is taken from the machine.
struct PlanOptions {
  std::optional<Bytes> memory = {};       ///< the budget: coordinator, workers and shared chunks in all
  std::optional<Bytes> task_memory = {};  ///< instead of memory: what tasks may hold; overheads come on top
  /// Most workers at once; 0 for no limit. Nothing: as many as cores, and more where tasks wait for a disk or a
  /// network.
  std::optional<std::int64_t> workers = {};
};

/// A physical plan: operations in order, each with its tasks and its memory model, made for one budget. An immutable
/// value; planning again for another machine is another call.
class Plan {
 public:
  explicit Plan(std::shared_ptr<const PhysicalPlan> physical) : physical_(std::move(physical)) {}

  std::vector<OpSummary> ops() const;
  std::int64_t total_tasks() const;
  Bytes total_read() const;
  Bytes total_written() const;
  /// What passes through the run's scratch file because memory has no room for it.
  Bytes total_spilled() const;
  /// What the run may hold.
  Bytes budget() const;
  /// The exact smallest budget that plans and runs: coordinator, one worker and the most that one task at a time holds.
  Bytes minimum_budget() const;
  /// Upper bound of the shared memory that resident chunks take when tasks run one at a time.
  Bytes resident_peak() const;
  /// What one idle worker holds, libraries of this plan's files included.
  Bytes worker_mem() const;
  Bytes coordinator_mem() const;
  /// Most workers at once. Where PlanOptions names no number: the cores; tasks that wait may make them more.
  std::int64_t max_workers() const;

  /// The plan as an aligned table.
  std::string explain() const;
  /// The same as JSON; sizes in bytes.
  std::string to_json() const;

  const PhysicalPlan& physical() const { return *physical_; }

 private:
  std::shared_ptr<const PhysicalPlan> physical_;
};

/// Plans the outputs for this machine as it is now. Throws MemoryError when the budget is below minimum_budget (with
/// the op, the figures and what to do), UsageError and StorageError for outputs that cannot be.
Plan plan(const std::vector<Output>& outputs, const PlanOptions& options = {});
Plan plan(const Output& output, const PlanOptions& options = {});
/// Plans for a machine that is described, here or not.
Plan plan(const std::vector<Output>& outputs, const Machine& machine, const PlanOptions& options = {});

}  // namespace brim
