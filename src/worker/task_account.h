#pragma once

#include "core/scratch.h"
#include "pool/protocol.h"
#include "worker/process_memory.h"
#include "worker/scratch_memory.h"
#include "worker/thread_clock.h"

namespace brim::worker {

/// Measures what tasks take. A task without page faults costs two cheap system calls; one with faults is slow anyway
/// and is measured by the kernel's peak counter.
class TaskAccount {
 public:
  /// The process as it is now is the idle worker.
  explicit TaskAccount(const ScratchMemory& scratch);

  void begin();
  /// The task's blocks had their pages mapped since begin(), which does not count as private memory.
  void on_blocks_mapped();
  /// `peak` is the most that it took from the scratch, `library` what third-party code may hold in this worker: the
  /// ledger counts that as the worker's, not as the task's.
  pool::TaskUsage end(Bytes peak, Bytes library);
  /// Scratch memory was given back.
  void on_trim();
  /// Private memory beyond reserved_mem that is there now.
  Bytes held(Bytes library) const;
  Bytes idle_resident() const { return idle_.resident; }

 private:
  void note_times(pool::TaskUsage& usage);
  void reset_peak();
  /// A private amount, less what reserved_mem covers of it.
  Bytes beyond_idle(Bytes anonymous, Bytes library) const;

  const ScratchMemory& scratch_;
  ProcessMemory memory_;
  MemoryCounts idle_;
  MemoryCounts start_;
  Bytes shared_at_reset_;  ///< shared pages when the kernel's peak began
  ProcessTimes last_;
  ThreadClock clock_;
  std::int64_t start_ns_ = 0;
  std::optional<std::int64_t> start_busy_ns_;  ///< only where tasks are long enough to ask
  bool asks_clock_ = true;
  Bytes resident_scratch_;  ///< after the last task that faulted; does not change without faults
};

}  // namespace brim::worker
