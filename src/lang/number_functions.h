#pragma once

#include <string_view>
#include <vector>

#include "lang/value.h"

namespace brim::lang {

/// The value of an elementwise function of numbers alone. It stays a number, so that it takes the dtype of the array
/// beside it: x * exp(1) and x * abs(-2) are float32 when x is. Holds NoValue for functions that arrays are needed for
/// (no optional: GCC 12 under sanitizers takes its moves for uninitialized reads).
/// Throws UsageError where Python's arithmetic would.
Value find_number_value(std::string_view function, const std::vector<Value>& numbers);

}  // namespace brim::lang
