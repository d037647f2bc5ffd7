#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace brim::shm {

/// Which ranges of an address space are free. First fit, neighbours merged. Knows nothing of memory.
class AddressRanges {
 public:
  explicit AddressRanges(std::int64_t length);

  /// Takes the lowest free range of that length; nothing when there is none.
  std::optional<std::int64_t> try_take(std::int64_t length);
  /// Throws InternalError when part of the range is free already.
  void give_back(std::int64_t start, std::int64_t length);

  /// How many pieces the free space is in.
  std::size_t piece_count() const { return free_.size(); }

 private:
  std::map<std::int64_t, std::int64_t> free_;  ///< start -> length
};

}  // namespace brim::shm
