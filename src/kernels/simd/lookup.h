#pragma once

#include "kernels/simd/groups.h"

namespace brim::kernels::BRIM_SIMD {

Kernel find_kernel(const KernelKey& key) {
  for (const auto find : {find_arithmetic, find_comparison, find_bitwise, find_conversion, find_math})
    if (const Kernel kernel = find(key)) return kernel;
  return nullptr;
}

}  // namespace brim::kernels::BRIM_SIMD
