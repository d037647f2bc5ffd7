#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace brim::kernels {

/// Copies `count` elements between two runs in memory, `*_stride` bytes from one to the next.
template <std::size_t item_size>
void copy_run(std::int64_t count, const std::byte* source, std::int64_t source_stride, std::byte* destination,
              std::int64_t destination_stride) {
  constexpr auto kSize = static_cast<std::int64_t>(item_size);
  if (source_stride == kSize && destination_stride == kSize) {
    std::memcpy(destination, source, static_cast<std::size_t>(count * kSize));
  } else if (destination_stride == kSize) {
    for (std::int64_t i = 0; i < count; ++i)
      std::memcpy(destination + i * kSize, source + i * source_stride, item_size);
  } else if (source_stride == kSize) {
    for (std::int64_t i = 0; i < count; ++i)
      std::memcpy(destination + i * destination_stride, source + i * kSize, item_size);
  } else {
    for (std::int64_t i = 0; i < count; ++i)
      std::memcpy(destination + i * destination_stride, source + i * source_stride, item_size);
  }
}

using CopyRun = void (*)(std::int64_t count, const std::byte* source, std::int64_t source_stride,
                         std::byte* destination, std::int64_t destination_stride);

/// copy_run for elements of 1, 2, 4 or 8 bytes.
inline CopyRun copy_run_of(std::int64_t item_size) {
  switch (item_size) {
    case 1:
      return copy_run<1>;
    case 2:
      return copy_run<2>;
    case 4:
      return copy_run<4>;
    default:
      return copy_run<8>;
  }
}

}  // namespace brim::kernels
