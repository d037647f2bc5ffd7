#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>

#include "brim/error.h"
#include "core/check.h"
#include "lang/value.h"

namespace brim::lang {
namespace {

bool is_whole(const Value& value) { return !std::holds_alternative<double>(value.held); }

std::int64_t whole(const Value& value) {
  if (const auto* held = std::get_if<bool>(&value.held)) return *held ? 1 : 0;
  return std::get<std::int64_t>(value.held);
}

/// A number in a type that holds every int64 and every double as it is.
long double exact(const Value& value) {
  static_assert(std::numeric_limits<long double>::digits >= 64);
  const auto* floating = std::get_if<double>(&value.held);
  return floating != nullptr ? static_cast<long double>(*floating) : static_cast<long double>(whole(value));
}

[[noreturn]] void overflow() {
  throw UsageError("a whole number passes 64 bits", "make one of the two floating: 2.0 instead of 2");
}

[[noreturn]] void division_by_zero() { throw UsageError("a division by zero"); }

std::int64_t floor_division(std::int64_t a, std::int64_t b) {
  if (b == 0) division_by_zero();
  if (b == -1) {
    std::int64_t result = 0;
    if (__builtin_sub_overflow(std::int64_t{0}, a, &result)) overflow();
    return result;
  }
  const auto quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

std::int64_t modulo(std::int64_t a, std::int64_t b) {
  if (b == 0) division_by_zero();
  if (b == -1) return 0;
  const auto rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

std::int64_t power(std::int64_t base, std::int64_t exponent) {
  std::int64_t result = 1;
  for (; exponent > 0; exponent >>= 1) {
    if ((exponent & 1) != 0 && __builtin_mul_overflow(result, base, &result)) overflow();
    if (exponent > 1 && __builtin_mul_overflow(base, base, &base)) overflow();
  }
  return result;
}

std::int64_t shift(std::string_view symbol, std::int64_t a, std::int64_t b) {
  if (b < 0) throw UsageError("a shift by a negative number");
  if (symbol == ">>") return b > 63 ? (a < 0 ? -1 : 0) : a >> b;
  std::int64_t result = 0;
  if (a == -1 && b == 63) return std::numeric_limits<std::int64_t>::min();
  if (a != 0 && (b > 62 || __builtin_mul_overflow(a, std::int64_t{1} << b, &result))) overflow();
  return result;
}

Value whole_operator(std::string_view symbol, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (symbol == "+" && __builtin_add_overflow(a, b, &result)) overflow();
  if (symbol == "-" && __builtin_sub_overflow(a, b, &result)) overflow();
  if (symbol == "*" && __builtin_mul_overflow(a, b, &result)) overflow();
  if (symbol == "//") result = floor_division(a, b);
  if (symbol == "%") result = modulo(a, b);
  if (symbol == "**") result = power(a, b);
  if (symbol == "<<" || symbol == ">>") result = shift(symbol, a, b);
  if (symbol == "&") result = a & b;
  if (symbol == "|") result = a | b;
  if (symbol == "^") result = a ^ b;
  return {result};
}

/// Quotient rounded down and rest with the sign of the divisor, to the last bit as Python's float.__divmod__.
std::pair<double, double> floating_divmod(double a, double b) {
  double rest = std::fmod(a, b);
  double quotient = (a - rest) / b;
  if (rest == 0) {
    rest = std::copysign(0.0, b);
  } else if ((b < 0) != (rest < 0)) {
    rest += b;
    quotient -= 1;
  }
  if (quotient == 0) return {std::copysign(0.0, a / b), rest};
  const double whole = std::floor(quotient);
  return {quotient - whole > 0.5 ? whole + 1 : whole, rest};
}

double floating_power(double a, double b) {
  if (a == 0 && b < 0 && std::isfinite(b)) division_by_zero();
  if (a < 0 && std::isfinite(a) && std::isfinite(b) && b != std::floor(b))
    throw UsageError("a negative number to a fractional power is not real");
  const double result = std::pow(a, b);
  if (std::isinf(result) && std::isfinite(a) && std::isfinite(b)) throw UsageError("a power beyond what float64 holds");
  return result;
}

Value floating_operator(std::string_view symbol, double a, double b) {
  if (symbol == "+") return {a + b};
  if (symbol == "-") return {a - b};
  if (symbol == "*") return {a * b};
  if (symbol == "**") return {floating_power(a, b)};
  if (symbol != "/" && symbol != "//" && symbol != "%")
    throw UsageError(fmt::format("'{}' between floating numbers", symbol),
                     symbol == "^" ? "for powers write **" : "it works on whole numbers and truth values");
  if (b == 0) division_by_zero();
  if (symbol == "/") return {a / b};
  const auto [quotient, rest] = floating_divmod(a, b);
  return {symbol == "//" ? quotient : rest};
}

bool compare(std::string_view symbol, long double a, long double b) {
  if (symbol == "<") return a < b;
  if (symbol == "<=") return a <= b;
  if (symbol == ">") return a > b;
  if (symbol == ">=") return a >= b;
  if (symbol == "==") return a == b;
  return a != b;
}

bool is_comparison(std::string_view symbol) {
  return symbol == "<" || symbol == "<=" || symbol == ">" || symbol == ">=" || symbol == "==" || symbol == "!=";
}

}  // namespace

Value number_operator(std::string_view symbol, const Value& a, const Value& b) {
  const bool both_whole = is_whole(a) && is_whole(b);
  if (symbol == "and") return {require_number(a) != 0 && require_number(b) != 0};
  if (symbol == "or") return {require_number(a) != 0 || require_number(b) != 0};
  if (is_comparison(symbol)) return {compare(symbol, exact(a), exact(b))};
  const bool both_bool = std::holds_alternative<bool>(a.held) && std::holds_alternative<bool>(b.held);
  if (both_bool && (symbol == "&" || symbol == "|" || symbol == "^"))
    return {whole(whole_operator(symbol, whole(a), whole(b))) != 0};
  if (both_whole && symbol == "/" && whole(b) != 0) return {static_cast<double>(exact(a) / exact(b))};
  const bool floating = !both_whole || symbol == "/" || (symbol == "**" && whole(b) < 0);
  if (floating) return floating_operator(symbol, require_number(a), require_number(b));
  return whole_operator(symbol, whole(a), whole(b));
}

Value number_sign(std::string_view symbol, const Value& x) {
  if (symbol == "not") return {require_number(x) == 0};
  if (const auto* held = std::get_if<double>(&x.held)) {
    if (symbol == "~") throw UsageError("'~' before a floating number", "it works on whole numbers and truth values");
    return {symbol == "-" ? -*held : *held};
  }
  if (symbol == "-") return whole_operator("-", 0, whole(x));
  if (symbol == "~") return std::holds_alternative<bool>(x.held) ? Value{whole(x) == 0} : Value{~whole(x)};
  return {whole(x)};
}

Array array_operator(std::string_view symbol, const Operand& a, const Operand& b) {
  if (symbol == "+") return add(a, b);
  if (symbol == "-") return subtract(a, b);
  if (symbol == "*") return multiply(a, b);
  if (symbol == "/") return divide(a, b);
  if (symbol == "//") return floor_divide(a, b);
  if (symbol == "%") return remainder(a, b);
  if (symbol == "**") return pow(a, b);
  if (symbol == "&") return bitwise_and(a, b);
  if (symbol == "|") return bitwise_or(a, b);
  if (symbol == "^") return bitwise_xor(a, b);
  if (symbol == "<<") return bitwise_left_shift(a, b);
  if (symbol == ">>") return bitwise_right_shift(a, b);
  if (symbol == "and") return logical_and(a, b);
  if (symbol == "or") return logical_or(a, b);
  if (symbol == "<") return less(a, b);
  if (symbol == "<=") return less_equal(a, b);
  if (symbol == ">") return greater(a, b);
  if (symbol == ">=") return greater_equal(a, b);
  if (symbol == "==") return equal(a, b);
  check(symbol == "!=", "an operator that the parser knows and the evaluator does not");
  return not_equal(a, b);
}

}  // namespace brim::lang
