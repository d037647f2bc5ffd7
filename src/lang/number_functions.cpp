#include "lang/number_functions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <map>
#include <utility>

namespace brim::lang {
namespace {

using OfOne = double (*)(double);
using OfTwo = double (*)(double, double);

double log_of_sum(double a, double b) {
  if (a == b) return a + std::log(2.0);  // infinities of one sign among them
  return std::max(a, b) + std::log1p(std::exp(-std::abs(a - b)));
}

// Named pointers: the functions of <cmath> are overloaded.
const std::map<std::string_view, OfOne>& floating_of_one() {
  static const std::map<std::string_view, OfOne> table = {
      {"acos", std::acos},   {"acosh", std::acosh}, {"asin", std::asin},   {"asinh", std::asinh}, {"atan", std::atan},
      {"atanh", std::atanh}, {"cos", std::cos},     {"cosh", std::cosh},   {"exp", std::exp},     {"expm1", std::expm1},
      {"log", std::log},     {"log10", std::log10}, {"log1p", std::log1p}, {"log2", std::log2},   {"sin", std::sin},
      {"sinh", std::sinh},   {"sqrt", std::sqrt},   {"tan", std::tan},     {"tanh", std::tanh}};
  return table;
}

const std::map<std::string_view, OfOne>& rounding_of_one() {
  static const std::map<std::string_view, OfOne> table = {
      {"ceil", std::ceil}, {"floor", std::floor}, {"round", std::nearbyint}, {"trunc", std::trunc}};
  return table;
}

const std::map<std::string_view, OfTwo>& floating_of_two() {
  static const std::map<std::string_view, OfTwo> table = {
      {"atan2", std::atan2}, {"copysign", std::copysign}, {"hypot", std::hypot}, {"logaddexp", log_of_sum}};
  return table;
}

/// Functions that are another way to write an operator.
constexpr std::array<std::pair<std::string_view, std::string_view>, 20> kOperators = {{{"add", "+"},
                                                                                       {"subtract", "-"},
                                                                                       {"multiply", "*"},
                                                                                       {"divide", "/"},
                                                                                       {"floor_divide", "//"},
                                                                                       {"remainder", "%"},
                                                                                       {"pow", "**"},
                                                                                       {"equal", "=="},
                                                                                       {"not_equal", "!="},
                                                                                       {"less", "<"},
                                                                                       {"less_equal", "<="},
                                                                                       {"greater", ">"},
                                                                                       {"greater_equal", ">="},
                                                                                       {"bitwise_and", "&"},
                                                                                       {"bitwise_or", "|"},
                                                                                       {"bitwise_xor", "^"},
                                                                                       {"bitwise_left_shift", "<<"},
                                                                                       {"bitwise_right_shift", ">>"},
                                                                                       {"logical_and", "and"},
                                                                                       {"logical_or", "or"}}};

constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kSigns = {
    {{"negative", "-"}, {"positive", "+"}, {"bitwise_invert", "~"}, {"logical_not", "not"}}};

bool is_floating(const Value& value) { return std::holds_alternative<double>(value.held); }

Value absolute(const Value& x) {
  if (is_floating(x)) return {std::abs(require_number(x))};
  return require_number(x) < 0 ? number_sign("-", x) : number_sign("+", x);
}

Value sign_of(const Value& x) {
  const auto number = require_number(x);
  if (!is_floating(x)) return {static_cast<std::int64_t>(number > 0) - static_cast<std::int64_t>(number < 0)};
  return {std::isnan(number) ? number : static_cast<double>(number > 0) - static_cast<double>(number < 0)};
}

/// NaN wins, as in NumPy.
Value larger(const Value& a, const Value& b, bool wanted_larger) {
  const auto x = require_number(a);
  const auto y = require_number(b);
  const bool first = std::isnan(x) || (!std::isnan(y) && (wanted_larger ? x >= y : x <= y));
  const auto& chosen = first ? a : b;
  if (is_floating(a) || is_floating(b)) return {require_number(chosen)};
  return chosen;
}

Value of_one(std::string_view function, const Value& x) {
  if (const auto row = floating_of_one().find(function); row != floating_of_one().end())
    return {row->second(require_number(x))};
  if (const auto row = rounding_of_one().find(function); row != rounding_of_one().end())
    return is_floating(x) ? Value{row->second(require_number(x))} : number_sign("+", x);
  for (const auto& [name, symbol] : kSigns)
    if (name == function) return number_sign(symbol, x);
  if (function == "abs") return absolute(x);
  if (function == "sign") return sign_of(x);
  if (function == "square") return number_operator("*", x, x);
  if (function == "isnan") return {std::isnan(require_number(x))};
  if (function == "isinf") return {std::isinf(require_number(x))};
  if (function == "isfinite") return {std::isfinite(require_number(x))};
  if (function == "signbit") return {std::signbit(require_number(x))};
  return {NoValue{}};
}

Value of_two(std::string_view function, const Value& a, const Value& b) {
  for (const auto& [name, symbol] : kOperators)
    if (name == function) return number_operator(symbol, a, b);
  if (const auto row = floating_of_two().find(function); row != floating_of_two().end())
    return {row->second(require_number(a), require_number(b))};
  if (function == "logical_xor") return {(require_number(a) != 0) != (require_number(b) != 0)};
  if (function == "maximum") return larger(a, b, true);
  if (function == "minimum") return larger(a, b, false);
  return {NoValue{}};
}

}  // namespace

Value find_number_value(std::string_view function, const std::vector<Value>& numbers) {
  if (!std::all_of(numbers.begin(), numbers.end(), is_number)) return {NoValue{}};
  if (numbers.size() == 1) return of_one(function, numbers.front());
  if (numbers.size() == 2) return of_two(function, numbers.front(), numbers.back());
  return {NoValue{}};
}

}  // namespace brim::lang
