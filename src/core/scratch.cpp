#include "core/scratch.h"

#include <fmt/format.h>

#include <algorithm>

namespace brim {

MemoryExceeded::MemoryExceeded(Bytes wanted, Bytes granted)
    : MemoryError(
          fmt::format("a task needs {} of scratch memory and was granted {}", to_string(wanted), to_string(granted))) {}

std::span<std::byte> Scratch::take(std::int64_t count) {
  const auto end = used_ + cost(count);
  if (end > capacity().count()) throw MemoryExceeded(Bytes(end), capacity());
  auto piece = region_.subspan(static_cast<std::size_t>(used_), static_cast<std::size_t>(count));
  used_ = end;
  peak_ = std::max(peak_, used_);
  return piece;
}

}  // namespace brim
