#pragma once

#include <span>
#include <vector>

#include "pool/protocol.h"
#include "shm/chunk_arena.h"

namespace brim::worker {

/// The memory of a task's blocks while it runs.
class LentBlocks {
 public:
  /// `view` may be null when the task has no blocks. Throws InternalError for a block outside the arena.
  LentBlocks(const shm::ArenaView* view, const pool::Run& task);
  ~LentBlocks();
  LentBlocks(const LentBlocks&) = delete;
  LentBlocks& operator=(const LentBlocks&) = delete;

  std::span<const std::span<const std::byte>> inputs() const { return inputs_; }
  std::span<std::byte> output() const { return output_; }

 private:
  const shm::ArenaView* view_;
  const pool::Run& task_;
  std::vector<std::span<const std::byte>> inputs_;
  std::span<std::byte> output_;
};

}  // namespace brim::worker
