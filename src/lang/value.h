#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "brim/array.h"

namespace brim::lang {

struct Value;
struct NoValue {};
using Tuple = std::vector<Value>;

/// What an expression can come to. Numbers alone are computed as Python does, with arrays as the array API does.
struct Value {
  std::variant<NoValue, bool, std::int64_t, double, std::string, Tuple, Array> held;
};

/// "an array", "a whole number", ...: for errors.
std::string_view kind_of(const Value& value);

bool is_number(const Value& value);

// What a function needs of an argument; each throws UsageError that says what it is instead.
Operand require_operand(const Value& value);
Array require_array(const Value& value);
std::int64_t require_integer(const Value& value);
double require_number(const Value& value);
bool require_bool(const Value& value);
const std::string& require_string(const Value& value);
/// A whole number or a tuple of them.
std::vector<std::int64_t> require_integers(const Value& value);
/// Axes of an array: whole numbers of a size that axes have.
std::vector<int> require_axes(const Value& value);
/// An array or a tuple of them.
std::vector<Array> require_arrays(const Value& value);
DType require_dtype(const Value& value);
/// "500MB" or a number of bytes.
Bytes require_bytes(const Value& value);
/// "100ms", "2s", "5us", "1min" or a number of seconds.
std::int64_t require_nanoseconds(const Value& value);

/// A binary operator between two numbers, as Python computes it: / is floating, // rounds down, ** of whole numbers
/// with a negative exponent is floating, overflow is an error.
Value number_operator(std::string_view symbol, const Value& a, const Value& b);
Value number_sign(std::string_view symbol, const Value& x);

/// An operator with at least one array.
Array array_operator(std::string_view symbol, const Operand& a, const Operand& b);

}  // namespace brim::lang
