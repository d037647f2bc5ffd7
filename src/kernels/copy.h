#pragma once

#include "kernels/view.h"

namespace brim::kernels {

/// Copies elements of item_size 1, 2, 4 or 8 bytes from one strided view to another; loops are ordered and merged so
/// that contiguous runs go by memcpy. The views do not overlap.
void copy(std::int64_t item_size, const Shape& shape, ConstView source, View destination);

}  // namespace brim::kernels
