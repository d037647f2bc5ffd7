#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "brim/shape.h"

namespace brim::kernels {

/// Byte steps from one element to the next, per axis of the loop; 0 repeats the element (broadcast), negative walks
/// backwards. Entries past the rank are 0.
using Strides = std::array<std::int64_t, kMaxRank>;

/// Where a loop reads: the element at index 0 of every axis, and the steps. Does not own the memory.
struct ConstView {
  const std::byte* data = nullptr;
  Strides strides{};
};

/// Where a loop writes.
struct View {
  std::byte* data = nullptr;
  Strides strides{};
};

/// The byte steps of a C-contiguous array of that shape.
Strides contiguous_strides(const Shape& shape, std::int64_t item_size);

}  // namespace brim::kernels
