#pragma once

#include <span>
#include <unordered_set>

#include "pool/protocol.h"
#include "shm/chunk_arena.h"

namespace brim::worker {

/// Maps the pages of blocks that this worker has not used before, in one go instead of one fault each.
class BlockPages {
 public:
  explicit BlockPages(const shm::ArenaView& view) : view_(view) {}

  /// Whether there were any.
  bool prepare(const pool::Run& task);
  /// A task that took many faults had blocks whose memory was given back and granted anew since; so may have others.
  void on_task_end(const pool::Run& task, std::int64_t minor_faults);

 private:
  void prepare(const shm::Block& block, bool for_writing);

  const shm::ArenaView& view_;
  std::unordered_set<std::int64_t> mapped_;  ///< offsets
  bool mapped_now_ = false;
};

}  // namespace brim::worker
