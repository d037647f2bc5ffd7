#pragma once

#include "kernels/simd/kernel_table.h"

namespace brim::kernels {

/// The entry points of the instruction set in use. It is chosen once: the best that this CPU has, or a lesser one
/// named by the environment variable BRIM_INSTRUCTION_SET.
struct KernelSet {
  const char* name;
  Kernel (*find_kernel)(const KernelKey& key);
  ReduceKernels (*reduce_kernels)(Reduction reduction, DType dtype);
};
const KernelSet& kernel_set();

}  // namespace brim::kernels
