#pragma once

#include "kernels/simd/kernel_table.h"

/// Inside one instruction set: the groups of functions, a source file each, that find_kernel asks.
namespace brim::kernels::BRIM_SIMD {

Kernel find_arithmetic(const KernelKey& key);
Kernel find_comparison(const KernelKey& key);
Kernel find_bitwise(const KernelKey& key);
Kernel find_conversion(const KernelKey& key);
Kernel find_math(const KernelKey& key);

}  // namespace brim::kernels::BRIM_SIMD
