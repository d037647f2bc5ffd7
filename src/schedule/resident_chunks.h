#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "schedule/op_facts.h"

namespace brim::schedule {

/// The resident chunks that live, and who still waits for them. A chunk lives from the start of its task until the last
/// task that depends on it is done. It is in order once the sequential order has passed its task: then the sequential
/// order would hold it too.
class ResidentChunks {
 public:
  void add(TaskId task, Bytes charged);
  /// The task will not finish: its chunk is gone. Returns its bytes; 0 when it has none.
  Bytes remove(TaskId task);
  /// The task is done and `dependents` tasks wait for its chunk.
  void set_dependents(TaskId task, std::int64_t dependents);
  /// One of them is done. True when it was the last.
  bool release(TaskId task);
  bool contains(TaskId task) const { return chunks_.contains(task); }
  void mark_in_order(TaskId task);

  /// Bytes that the sequential order would not hold now, with the next task to do being `lead`.
  Bytes extras(const std::optional<TaskId>& lead) const;

 private:
  struct Chunk {
    Bytes charged;
    std::int64_t dependents = 0;
    bool in_order = false;
  };
  std::unordered_map<TaskId, Chunk, TaskHash> chunks_;
  Bytes total_;
  Bytes in_order_;
};

}  // namespace brim::schedule
