#pragma once

#include <memory>
#include <span>

#include "shm/block.h"

namespace brim::shm {

/// The shared memory of a run: an anonymous memfd that nobody can find by name, so a SIGKILL of everything leaves
/// nothing behind, whatever /dev/shm is. Only the coordinator holds a ChunkArena: it alone grants and frees blocks, and
/// all bookkeeping is private to it (D7). Not thread safe.
class ChunkArena {
 public:
  /// Blocks of up to `limit` bytes in all; takes no memory yet. Throws MemoryError when the system refuses.
  explicit ChunkArena(Bytes limit);
  ~ChunkArena();
  ChunkArena(ChunkArena&&) noexcept;
  ChunkArena& operator=(ChunkArena&&) noexcept;

  /// The descriptor that workers inherit, and the length they map: several times the limit, because address space costs
  /// nothing and so blocks of many sizes, come and gone, cannot leave a big one without a place.
  int descriptor() const;
  Bytes capacity() const;

  /// A block with its memory already reserved (fallocate: a full system is an error here, not a SIGBUS in a worker).
  /// Freed blocks of the same charged size come first, the most recently used first: their pages are faulted in.
  /// Cached memory of other sizes is given back where the limit or the system wants it. Size 0 gives "no block".
  /// Throws MemoryError.
  Block allocate(Bytes size);
  /// The block's memory stays cached for reuse until release_cached(). Throws InternalError for a block that is not
  /// granted.
  void free(Block block);
  /// Gives cached memory back to the system, oldest first, at least `wanted` if there is that much. Returns what was
  /// given back.
  Bytes release_cached(Bytes wanted);

  /// Memory of granted blocks, and of freed blocks that are still kept.
  Bytes granted() const;
  Bytes cached() const;
  /// How many grants came from the cache, and how many in all.
  std::int64_t reuse_count() const;
  std::int64_t grant_count() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// A worker's mapping of the arena, made once. Holds no state but the mapping.
class ArenaView {
 public:
  /// Maps `capacity` bytes of the descriptor; asks for huge pages and does without where refused.
  ArenaView(int descriptor, Bytes capacity);
  ~ArenaView();
  ArenaView(ArenaView&&) noexcept;
  ArenaView& operator=(ArenaView&&) noexcept;

  /// The memory of a block; empty for "no block". Throws InternalError for a block outside the arena.
  std::span<std::byte> span(Block block) const;
  /// The block is not this process's business any more: under AddressSanitizer a use is an error until the next span().
  void revoke(Block block) const;
  /// Maps the block's pages in one go, which is several times cheaper than a fault for each and keeps them out of the
  /// task's own account. Does without where the kernel cannot.
  void populate(Block block, bool for_writing) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace brim::shm
