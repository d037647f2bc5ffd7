#pragma once

#include <string>
#include <vector>

#include "brim/bytes.h"

namespace brim {

/// One thing that limits the memory, and where the figure was read: "cgroup v2 /user.slice/memory.max".
struct MemoryLimit {
  std::string source;
  Bytes amount;
};

/// What planning needs to know of a machine. A plain value: make one up to plan for a machine that is not here.
struct Machine {
  int cores = 1;
  Bytes memory_total;      ///< of the hardware
  Bytes memory_available;  ///< the smallest of `limits`
  std::vector<MemoryLimit> limits;
  Bytes safety_share;     ///< left to everybody else when no budget is named
  Bytes budget;           ///< what a run may hold in all: memory_available - safety_share, or what the user named
  Bytes reserved_mem;     ///< what an idle worker holds
  Bytes coordinator_mem;  ///< what the coordinator holds
};

/// This machine as it is now: cores from the CPU affinity and the cgroup's quota, memory from MemAvailable and every
/// level of cgroup v1 and v2, reserved_mem by starting one worker and measuring it (once per process). Throws
/// WorkerError when the worker program cannot be started.
Machine this_machine();

}  // namespace brim
