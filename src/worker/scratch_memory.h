#pragma once

#include <cstddef>
#include <span>

#include "brim/bytes.h"

namespace brim::worker {

/// The memory behind every task's Scratch: one private mapping, kept between tasks with its pages faulted in, grown
/// when a larger grant comes and shrunk only on request.
class ScratchMemory {
 public:
  ScratchMemory() = default;
  ~ScratchMemory();
  ScratchMemory(const ScratchMemory&) = delete;
  ScratchMemory& operator=(const ScratchMemory&) = delete;

  /// `size` bytes, contents undefined, the same memory as last time. Throws MemoryError when the system refuses.
  std::span<std::byte> region(Bytes size);
  /// Gives everything beyond `keep` back to the system.
  void trim(Bytes keep);

  /// Address space taken.
  Bytes mapped() const { return Bytes(length_); }
  /// Pages that are in memory at or beyond offset `start`. Costs about 1 ms for a GiB.
  Bytes resident(Bytes start) const;

 private:
  std::byte* memory_ = nullptr;
  std::int64_t length_ = 0;
};

}  // namespace brim::worker
