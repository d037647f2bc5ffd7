#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "lang/value.h"

namespace brim::lang {

/// The value of an elementwise function of numbers alone. It stays a number, so that it takes the dtype of the array
/// beside it: x * exp(1) and x * abs(-2) are float32 when x is. Nothing for functions that arrays are needed for.
/// Throws UsageError where Python's arithmetic would.
std::optional<Value> find_number_value(std::string_view function, const std::vector<Value>& numbers);

}  // namespace brim::lang
