#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace brim {

/// The elementwise functions of the Python array API 2023.12 (without the complex-only ones), by their names there.
/// The order is that of the table in function.cpp. `clip` is minimum(maximum(x, min), max) and needs no entry.
enum class Function : std::uint8_t {
  kAbs,
  kAcos,
  kAcosh,
  kAdd,
  kAsin,
  kAsinh,
  kAtan,
  kAtan2,
  kAtanh,
  kBitwiseAnd,
  kBitwiseInvert,
  kBitwiseLeftShift,
  kBitwiseOr,
  kBitwiseRightShift,
  kBitwiseXor,
  kCeil,
  kCopysign,
  kCos,
  kCosh,
  kDivide,
  kEqual,
  kExp,
  kExpm1,
  kFloor,
  kFloorDivide,
  kGreater,
  kGreaterEqual,
  kHypot,
  kIsfinite,
  kIsinf,
  kIsnan,
  kLess,
  kLessEqual,
  kLog,
  kLog10,
  kLog1p,
  kLog2,
  kLogaddexp,
  kLogicalAnd,
  kLogicalNot,
  kLogicalOr,
  kLogicalXor,
  kMaximum,
  kMinimum,
  kMultiply,
  kNegative,
  kNotEqual,
  kPositive,
  kPow,
  kRemainder,
  kRound,
  kSign,
  kSignbit,
  kSin,
  kSinh,
  kSqrt,
  kSquare,
  kSubtract,
  kTan,
  kTanh,
  kTrunc,
  kWhere,   ///< where(condition, a, b): the condition is bool, a and b have the operand dtype
  kAstype,  ///< conversion from the operand dtype to the result dtype
};
inline constexpr int kFunctionCount = static_cast<int>(Function::kAstype) + 1;

/// Which operand dtypes a function takes, in the words of the array API.
enum class Accepts : std::uint8_t { kBool, kInteger, kIntegerOrBool, kRealFloating, kRealNumeric, kAny };

/// What the result dtype is: that of the operands, or bool.
enum class Gives : std::uint8_t { kOperand, kBool };

struct FunctionFacts {
  Function function;
  std::string_view name;  ///< as in the array API: "atan2"
  int arity;              ///< 1, 2 or 3
  Accepts accepts;
  Gives gives;
  /// Rough cost of one element against one addition; the planner weighs recomputing against keeping with it.
  int cost;
};

const FunctionFacts& facts(Function function);
std::optional<Function> find_function(std::string_view name);

}  // namespace brim
