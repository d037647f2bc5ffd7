#pragma once

#include <string>
#include <vector>

#include "brim/bytes.h"

namespace brim {

/// One thing that limits the memory, and where the figure was read: "cgroup v2 /user.slice/memory.max".
struct MemoryLimit {
  std::string source;
  Bytes amount;  ///< what this limit leaves to a new run: the limit less what others hold of it
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

/// The smallest of all limits again, as it is now; starts nothing. For watching memory pressure during a run.
Bytes memory_available_now();

/// What is left to everybody else of that much available memory: 5%, at least 256 MiB, but never more than a quarter.
Bytes safety_share(Bytes available);

/// The worker program that belongs to this program: BRIM_WORKER from the environment, or beside the running executable,
/// or in ../libexec/brim of it, or likewise of the brim library. Throws WorkerError naming the places tried.
std::string worker_program();

/// How the system hands out huge pages, which make first touches of memory many times cheaper.
struct HugePages {
  std::string private_memory;  ///< the setting in force: "always", "madvise", "never"; empty when unknown
  std::string shared_memory;   ///< likewise: "always", "within_size", "advise", "never", "deny", "force"
  std::string advice;          ///< what to switch, how, and what it would gain; empty when there is nothing to gain
};
HugePages huge_pages();

}  // namespace brim
