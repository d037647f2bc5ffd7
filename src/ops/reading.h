#pragma once

#include <cstdint>
#include <vector>

#include "ops/physical_op.h"

namespace brim::ops {

/// How tasks of an op read the chunks of an earlier one.
struct Reading {
  const ResidentInput* from = nullptr;
  std::int64_t chunks_per_task = 0;  ///< most chunks that one task reads
  bool shared = false;               ///< some chunk may be read by more than one task
};

/// One for each way in which `op` reads resident chunks; the same chunks read in the same way count once. They point
/// into `op`.
std::vector<Reading> readings(const PhysicalOp& op);

}  // namespace brim::ops
