#pragma once

#include <cstdint>
#include <vector>

#include "brim/machine.h"
#include "brim/plan.h"
#include "ops/memory_model.h"
#include "ops/physical_op.h"
#include "storage/output.h"

namespace brim {

/// A plan with everything the executor needs. Ops stand in topological order: each depends on earlier ones only.
struct PhysicalPlan {
  PhysicalPlan() = default;
  // The models point at the ops: a plan may move, its parts may not be copied apart.
  PhysicalPlan(PhysicalPlan&&) = default;
  PhysicalPlan& operator=(PhysicalPlan&&) = default;

  std::vector<ops::PhysicalOp> ops;
  std::vector<ops::OpModel> models;              ///< one per op
  std::vector<storage::OutputDataset> datasets;  ///< what store sinks name by number
  Machine machine;
  Bytes budget;
  Bytes minimum_budget;
  Bytes worker_mem;  ///< reserved_mem of the machine and the libraries' memory for this plan's files
  Bytes coordinator_mem;
  Bytes sequential_peak;  ///< most that tasks hold when they run one at a time, depth first
  Bytes assembly_need;    ///< what putting a compressed output file together holds; 0 for none
  Bytes resident_peak;    ///< the resident part of that
  std::int64_t max_workers = 0;
  bool workers_named = false;  ///< by the user; else tasks that wait may make the pool wider than the cores
};

}  // namespace brim
