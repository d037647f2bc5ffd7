#pragma once

#include "core/reduction.h"
#include "kernels/view.h"

namespace brim::kernels {

/// Which axes of a loop shape are reduced, one entry per axis.
using AxisMask = std::vector<bool>;

/// Writes the neutral start of the reduction (0; the dtype's or infinity's extreme for min and max) to `count`
/// accumulators of accumulator_dtype(reduction, dtype).
void fill_identity(Reduction reduction, DType dtype, std::int64_t count, std::byte* accumulators);

/// Folds a region of `dtype` elements into accumulators of accumulator_dtype(reduction, dtype). `accumulators` has
/// stride 0 on every reduced axis. NaN wins in min, max and sums, as in NumPy.
/// Sums of floating values are added in blocks pairwise; error bound stated in reduce.cpp.
void reduce_into(Reduction reduction, DType dtype, const Shape& shape, const AxisMask& reduced, ConstView input,
                 View accumulators);

/// Folds one set of accumulators into another (both of the accumulator dtype): the step of a reduction tree.
void combine_into(Reduction reduction, DType dtype, const Shape& shape, const AxisMask& reduced, ConstView input,
                  View accumulators);

/// Turns `count` contiguous accumulators into results of reduced_dtype(reduction, dtype); a mean divides by
/// `reduced_count`, the elements that went into each (0 gives NaN, as in NumPy).
void finish(Reduction reduction, DType dtype, std::int64_t count, std::int64_t reduced_count,
            const std::byte* accumulators, std::byte* results);

}  // namespace brim::kernels
