#pragma once

#include <cstddef>

#include "ops/physical_op.h"

namespace brim::ops {

/// Writes values number [start, stop) of a counted range, in `dtype`, behind one another.
void fill_range(const RangeInput& input, DType dtype, std::int64_t start, std::int64_t stop, std::byte* values);

}  // namespace brim::ops
