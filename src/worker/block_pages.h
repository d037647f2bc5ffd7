#pragma once

#include <unordered_map>

#include "pool/protocol.h"
#include "shm/chunk_arena.h"

namespace brim::worker {

/// Maps the pages of blocks that this worker has not used before, in one go instead of one fault each.
class BlockPages {
 public:
  explicit BlockPages(const shm::ArenaView& view) : view_(view) {}

  /// Whether there were any.
  bool prepare(const pool::Run& task);

 private:
  bool prepare(const shm::Block& block, bool for_writing);

  const shm::ArenaView& view_;
  std::unordered_map<std::int64_t, std::int64_t> mapped_;  ///< offset -> generation
};

}  // namespace brim::worker
