#pragma once

#include <cstdint>

#include "brim/bytes.h"

namespace brim::worker {

/// This process's memory as the kernel counts it.
struct MemoryCounts {
  Bytes resident;  ///< all pages in memory
  Bytes shared;    ///< of files and of the shared chunk memory
  Bytes data;      ///< private writable address space: what RLIMIT_DATA counts, and the stack
  Bytes anonymous() const { return resident - shared; }
};

/// Reads the counters of this process through files kept open. Not thread safe.
class ProcessMemory {
 public:
  ProcessMemory();
  ~ProcessMemory();
  ProcessMemory(const ProcessMemory&) = delete;
  ProcessMemory& operator=(const ProcessMemory&) = delete;

  /// About 2 us.
  MemoryCounts counts() const;
  /// The most that was resident since the last reset. About 15 us.
  Bytes peak_resident() const;
  void reset_peak() const;

 private:
  int statm_;
  int status_;
  int clear_refs_;
};

/// Minor page faults and CPU time of this process so far.
struct ProcessTimes {
  std::int64_t minor_faults = 0;
  std::int64_t cpu_ns = 0;
};
ProcessTimes process_times();

}  // namespace brim::worker
