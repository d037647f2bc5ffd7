#pragma once

#include <random>
#include <vector>

#include "kernels/program.h"
#include "oracle/numpy_oracle.h"

namespace brim::kernels::testing {

/// An element by element view of a contiguous array, broadcast to `shape`.
ConstView view_of(const oracle::OracleArray& array, const Shape& shape);

/// The program that computes one function of its inputs.
Program program_of(Function function, DType operand_dtype, DType result_dtype);
/// The dtype that the function gives for operands of that dtype (kAstype aside).
DType result_of(Function function, DType operand_dtype);
/// Whether the function takes operands of that dtype.
bool takes(Function function, DType operand_dtype);

/// Runs the program on contiguous inputs, broadcast to the shape.
std::vector<oracle::OracleArray> run(const Program& program, const Shape& shape,
                                     const std::vector<oracle::OracleArray>& inputs);

/// All the awkward values of the dtype: NaN, infinities, zeros of both signs, subnormal and huge numbers, extremes,
/// neighbours of one, small numbers.
oracle::OracleArray awkward_values(DType dtype);
/// Reproducible values of every magnitude (for floating: random bits that are mostly finite) and small ones.
oracle::OracleArray random_values(DType dtype, std::int64_t count, unsigned seed);
/// Every pair of elements of `values`, as two arrays.
std::pair<oracle::OracleArray, oracle::OracleArray> all_pairs(const oracle::OracleArray& values);

/// The distance of `got` from `want` in units of the last place of the larger of `want` and the smallest normal number;
/// 0 where both are NaN or equal, infinite where only one is NaN or infinite.
double ulps(double got, double want, DType dtype);

/// Element i as a double (for floating dtypes).
double element(const oracle::OracleArray& array, std::size_t i);

}  // namespace brim::kernels::testing
