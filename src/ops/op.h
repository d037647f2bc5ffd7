#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/archive.h"
#include "core/scratch.h"
#include "core/thread_team.h"
#include "storage/output.h"

namespace brim::ops {

/// What one task is given and what it gives back. Filled by the worker's main loop.
struct TaskContext {
  std::int64_t task_index = 0;
  Scratch& scratch;
  ThreadTeam& team;
  /// How many threads the task may use, itself included; at most what the op's memory model holds for.
  int threads = 1;
  /// The resident chunks this task depends on, in the order of the op's dependency list.
  std::span<const std::span<const std::byte>> inputs;
  /// The task's own resident chunk (all its resident outputs behind one another); empty when it has none.
  std::span<std::byte> output;
  Bytes bytes_read;     ///< from files
  Bytes bytes_written;  ///< to files
};

/// The body of a physical operation in a worker: made once per worker from the op's archive, then run for any of its
/// tasks in any order. Running a task again gives the same result.
class OpBody {
 public:
  virtual ~OpBody() = default;
  virtual void run(TaskContext& context) = 0;
};

/// Rebuilds an op from what its put() wrote. `targets` are the outputs of the run, which store sinks name by number.
std::unique_ptr<OpBody> load_op(ArchiveReader& archive, const std::vector<storage::OutputTarget>& targets);

}  // namespace brim::ops
