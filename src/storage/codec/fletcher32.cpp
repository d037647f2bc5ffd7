#include "storage/codec/fletcher32.h"

#include <algorithm>

namespace brim::storage {

std::uint32_t fletcher32(std::span<const std::byte> data) {
  constexpr std::size_t kWordsBeforeOverflow = 360;
  std::uint32_t sum1 = 0;
  std::uint32_t sum2 = 0;
  const auto fold = [](std::uint32_t sum) { return (sum & 0xffffU) + (sum >> 16); };
  std::size_t words = data.size() / 2;
  const auto* next = reinterpret_cast<const std::uint8_t*>(data.data());
  while (words > 0) {
    const auto block = std::min(words, kWordsBeforeOverflow);
    for (std::size_t i = 0; i < block; ++i, next += 2) {
      sum1 += static_cast<std::uint32_t>(next[0]) << 8 | next[1];
      sum2 += sum1;
    }
    words -= block;
    sum1 = fold(sum1);
    sum2 = fold(sum2);
  }
  if (data.size() % 2 == 1) {
    sum1 = fold(sum1 + (static_cast<std::uint32_t>(*next) << 8));
    sum2 = fold(sum2 + sum1);
  }
  return fold(sum2) << 16 | fold(sum1);
}

std::span<std::byte> verified_fletcher32(std::span<std::byte> data_and_checksum) {
  constexpr std::size_t kSize = 4;
  if (data_and_checksum.size() < kSize) return {};
  const auto data = data_and_checksum.first(data_and_checksum.size() - kSize);
  const auto* tail = reinterpret_cast<const std::uint8_t*>(data.data() + data.size());
  const std::uint32_t stored = tail[0] | tail[1] << 8 | tail[2] << 16 | static_cast<std::uint32_t>(tail[3]) << 24;
  const std::uint32_t computed = fletcher32(data);
  // HDF5 before 1.6.3 stored the bytes of each half in the other order on little endian machines.
  const std::uint32_t old_order = (computed & 0x00ff00ffU) << 8 | (computed >> 8 & 0x00ff00ffU);
  if (stored != computed && stored != old_order) return {};
  return data;
}

}  // namespace brim::storage
