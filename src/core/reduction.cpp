#include "core/reduction.h"

namespace brim {

DType accumulator_dtype(Reduction reduction, DType dtype) {
  if (reduction == Reduction::kMin || reduction == Reduction::kMax) return dtype;
  if (is_floating(dtype) || reduction == Reduction::kMean) return DType::kFloat64;
  return is_unsigned_integer(dtype) ? DType::kUInt64 : DType::kInt64;
}

DType reduced_dtype(Reduction reduction, DType dtype) {
  return is_floating(dtype) ? dtype : accumulator_dtype(reduction, dtype);
}

}  // namespace brim
