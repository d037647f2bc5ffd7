#pragma once

#include <cstddef>
#include <cstdint>

#include "brim/dtype.h"
#include "core/function.h"
#include "core/reduction.h"

namespace brim::kernels {

/// Computes `count` elements: operands[i] points to contiguous elements (or to one element, see Form), the result is
/// contiguous and overlaps no operand. Values depend on the operands alone.
using Kernel = void (*)(const std::byte* const* operands, std::byte* result, std::int64_t count);

/// Which operand of a binary function is a single element instead of a tile.
enum class Form : std::uint8_t { kTiles, kFirstIsScalar, kSecondIsScalar };

/// What a kernel is looked up by.
struct KernelKey {
  Function function = Function::kAdd;
  DType operand_dtype = DType::kFloat64;
  DType result_dtype = DType::kFloat64;
  Form form = Form::kTiles;
};

/// The loops of a reduction over contiguous elements. `accumulators` hold the accumulator dtype.
struct ReduceKernels {
  /// Folds `count` elements into one accumulator.
  void (*fold_run)(const std::byte* elements, std::int64_t count, std::byte* accumulator) = nullptr;
  /// Folds `rows` rows of `count` elements, `row_stride` bytes apart, into `count` accumulators.
  void (*fold_rows)(const std::byte* elements, std::int64_t rows, std::int64_t row_stride, std::int64_t count,
                    std::byte* accumulators) = nullptr;
};

// One set of these per instruction set. find_kernel gives nullptr where there is no such kernel (a form that is not
// worth one; a dtype that the function does not accept).
namespace baseline {
Kernel find_kernel(const KernelKey& key);
ReduceKernels reduce_kernels(Reduction reduction, DType dtype);
}  // namespace baseline
namespace avx2 {
Kernel find_kernel(const KernelKey& key);
ReduceKernels reduce_kernels(Reduction reduction, DType dtype);
}  // namespace avx2
namespace avx512 {
Kernel find_kernel(const KernelKey& key);
ReduceKernels reduce_kernels(Reduction reduction, DType dtype);
}  // namespace avx512

}  // namespace brim::kernels
