#pragma once

#include <cstddef>
#include <span>

namespace brim::storage {

/// HDF5's shuffle filter: all first bytes of the elements, then all second bytes, ... Bytes of an incomplete last
/// element stay at the end. `from` and `to` have equal size and do not overlap.
void shuffle_bytes(std::span<const std::byte> from, std::span<std::byte> to, int element_size);
/// The inverse of shuffle_bytes().
void unshuffle_bytes(std::span<const std::byte> from, std::span<std::byte> to, int element_size);

}  // namespace brim::storage
