#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include "brim/bytes.h"
#include "brim/error.h"
#include "core/archive.h"
#include "machine/reserved_mem.h"
#include "shm/block.h"

/// What coordinator and workers say to each other: plain values, one frame each, over one socket pair a worker.
/// A worker handles its messages strictly in order, so a Trim sent before a Run has happened when the Run starts.
namespace brim::pool {

/// The outputs of the run, which ops name by number. Before the first Define; a second one replaces the first.
struct Targets {
  std::vector<std::vector<std::byte>> archives;  ///< one storage::OutputTarget each
};

/// An op, sent once to each worker before its first task of that op. Building it is part of the first task.
struct Define {
  std::int32_t op = 0;
  std::vector<std::byte> archive;
};

/// What a task may hold in private memory beyond what an idle worker holds.
struct Grant {
  Bytes scratch;  ///< capacity of its scratch memory
  Bytes library;  ///< what third-party code (HDF5) may allocate beside it

  friend bool operator==(const Grant&, const Grant&) = default;
};

/// Run one task and answer Done or Failed.
struct Run {
  std::int64_t sequence = 0;  ///< comes back in the answer
  std::int32_t op = 0;
  std::int64_t task_index = 0;
  Grant grant;
  std::int32_t threads = 1;
  std::vector<shm::Block> inputs;  ///< in the order of the op's dependency list
  shm::Block output;               ///< size 0: none
};

/// Run storage::assemble() for one output file and answer Done or Failed.
struct Assemble {
  std::int64_t sequence = 0;
  std::vector<std::vector<std::byte>> targets;  ///< one storage::OutputTarget each
  Grant grant;
};

/// Give scratch memory beyond `keep` back to the system and answer Trimmed.
struct Trim {
  Bytes keep;
};

/// Leave with exit status 0, after everything sent before.
struct Stop {};

using ToWorker = std::variant<Targets, Define, Run, Assemble, Trim, Stop>;

/// The worker is idle and listens.
struct Ready {
  std::int64_t pid = 0;
  Bytes rss;  ///< of the idle worker: what reserved_mem stands for
};

/// Private memory that reserved_mem covers beyond the idle worker's own.
inline constexpr Bytes kIdleHeadroom = machine::kIdleHeadroom;

/// What a task took. Private memory is counted beyond reserved_mem: the idle worker and kIdleHeadroom.
struct TaskUsage {
  Bytes measured;      ///< peak of private memory: scratch used and everything else. Never less than the truth; scratch
                       ///< kept from a bigger task before does not count
  Bytes scratch_peak;  ///< the part of it that came from the scratch memory, exact
  Bytes held;          ///< private memory that stays until a Trim: kept scratch, library memory
  std::int64_t minor_faults = 0;
  std::int64_t cpu_ns = 0;
  std::int64_t blocked_ns = 0;  ///< time that its first thread neither ran nor waited for a core
  std::int64_t start_ns = 0;    ///< steady clock, the same in all processes of the machine
  std::int64_t end_ns = 0;
  Bytes bytes_read;
  Bytes bytes_written;
};

struct Done {
  std::int64_t sequence = 0;
  TaskUsage usage;
};

struct Failed {
  std::int64_t sequence = 0;
  ErrorRecord error;
  bool memory = false;  ///< the grant was too small: more memory may help, repeating does not
  TaskUsage usage;
};

struct Trimmed {
  Bytes held;  ///< as TaskUsage::held
};

using ToCoordinator = std::variant<Ready, Done, Failed, Trimmed>;

/// One frame's contents. get_* throws InternalError for anything that put() has not written.
void put(ArchiveWriter& archive, const ToWorker& message);
void put(ArchiveWriter& archive, const ToCoordinator& message);
ToWorker get_to_worker(ArchiveReader& archive);
ToCoordinator get_to_coordinator(ArchiveReader& archive);

}  // namespace brim::pool
