#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "array/graph.h"

namespace brim {

/// Arrays for the operands of `what` (a function's name, for errors), all of one dtype: numbers take the dtype of the
/// arrays (weak promotion), arrays are promoted among themselves. Only numbers: as Python types, int64, float64 or
/// bool.
std::vector<Array> promoted(const std::vector<Operand>& operands, std::string_view what);

/// A 0-d array of a number in `dtype`. Throws UsageError where an integer does not fit.
Array constant(const Operand& number, DType dtype, std::string_view what);

/// The dtype that a number has on its own: bool, int64 (uint64 when larger) or float64.
DType own_dtype(const Operand& number);

/// The value of a constant node; nothing for other nodes.
std::optional<Scalar> find_constant(const Array& array);

}  // namespace brim
