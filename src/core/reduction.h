#pragma once

#include <cstdint>

#include "brim/dtype.h"

namespace brim {

/// The full reductions. A mean is a sum whose last step divides by the number of elements.
enum class Reduction : std::uint8_t { kSum, kMean, kMin, kMax };

/// The dtype in which partial results are kept: float64 for sums and means of floats (wide, D11) and means of integers,
/// int64/uint64 for sums of integers and bools (NumPy), the dtype itself for min and max.
DType accumulator_dtype(Reduction reduction, DType dtype);

/// The dtype of the result as NumPy gives it: sum float32->float32, int8->int64, uint8->uint64, bool->int64;
/// mean float32->float32, integers and bool->float64; min and max the dtype itself.
DType reduced_dtype(Reduction reduction, DType dtype);

}  // namespace brim
