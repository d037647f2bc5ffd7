#include "storage/codec/shuffle.h"

#include <cstdint>
#include <cstring>

#include "core/check.h"

namespace brim::storage {
namespace {

// The element size as a constant lets the compiler turn both loops into vector interleaves.
template <std::size_t kSize>
void shuffle_of(const std::byte* from, std::byte* to, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t part = 0; part < kSize; ++part) to[part * count + i] = from[i * kSize + part];
}

template <std::size_t kSize>
void unshuffle_of(const std::byte* __restrict from, std::byte* __restrict to, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t part = 0; part < kSize; ++part) to[i * kSize + part] = from[part * count + i];
}

void shuffle_any(const std::byte* from, std::byte* to, std::size_t count, std::size_t size) {
  for (std::size_t part = 0; part < size; ++part)
    for (std::size_t i = 0; i < count; ++i) to[part * count + i] = from[i * size + part];
}

void unshuffle_any(const std::byte* from, std::byte* to, std::size_t count, std::size_t size) {
  for (std::size_t part = 0; part < size; ++part)
    for (std::size_t i = 0; i < count; ++i) to[i * size + part] = from[part * count + i];
}

template <typename Any, typename Two, typename Four, typename Eight>
void run(std::span<const std::byte> from, std::span<std::byte> to, int element_size, Any any, Two two, Four four,
         Eight eight) {
  check(from.size() == to.size() && element_size > 0, "shuffle of unequal buffers");
  const auto size = static_cast<std::size_t>(element_size);
  const auto count = from.size() / size;
  if (size == 2)
    two(from.data(), to.data(), count);
  else if (size == 4)
    four(from.data(), to.data(), count);
  else if (size == 8)
    eight(from.data(), to.data(), count);
  else
    any(from.data(), to.data(), count, size);
  const auto done = count * size;
  if (done < from.size()) std::memcpy(to.data() + done, from.data() + done, from.size() - done);
}

}  // namespace

void shuffle_bytes(std::span<const std::byte> from, std::span<std::byte> to, int element_size) {
  run(from, to, element_size, shuffle_any, shuffle_of<2>, shuffle_of<4>, shuffle_of<8>);
}

void unshuffle_bytes(std::span<const std::byte> from, std::span<std::byte> to, int element_size) {
  run(from, to, element_size, unshuffle_any, unshuffle_of<2>, unshuffle_of<4>, unshuffle_of<8>);
}

}  // namespace brim::storage
