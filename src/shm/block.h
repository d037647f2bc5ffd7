#pragma once

#include <cstdint>

#include "brim/bytes.h"

namespace brim::shm {

/// A piece of the shared chunk memory: a plain value that the coordinator hands to workers. size 0 is "no block".
struct Block {
  std::int64_t offset = 0;  ///< from the start of the arena, a multiple of the page size
  Bytes size;               ///< as asked for; the account holds charged(size)
  /// Which memory lies there: pages that were mapped under one number are not those under another.
  std::int64_t generation = 0;

  friend bool operator==(const Block&, const Block&) = default;
};

/// What a block of that size takes from the memory: rounded up to whole pages.
Bytes charged(Bytes size);

}  // namespace brim::shm
