#include "shm/address_ranges.h"

#include <iterator>

#include "core/check.h"

namespace brim::shm {

AddressRanges::AddressRanges(std::int64_t length) {
  if (length > 0) free_.emplace(0, length);
}

std::optional<std::int64_t> AddressRanges::try_take(std::int64_t length) {
  for (auto range = free_.begin(); range != free_.end(); ++range) {
    const auto [start, available] = *range;
    if (available < length) continue;
    free_.erase(range);
    if (available > length) free_.emplace(start + length, available - length);
    return start;
  }
  return std::nullopt;
}

void AddressRanges::give_back(std::int64_t start, std::int64_t length) {
  auto next = free_.lower_bound(start);
  check(next == free_.end() || start + length <= next->first, "a range of the arena was given back twice");
  if (next != free_.end() && start + length == next->first) {
    length += next->second;
    next = free_.erase(next);
  }
  if (next != free_.begin()) {
    const auto previous = std::prev(next);
    check(previous->first + previous->second <= start, "a range of the arena was given back twice");
    if (previous->first + previous->second == start) {
      previous->second += length;
      return;
    }
  }
  free_.emplace(start, length);
}

}  // namespace brim::shm
