#include "core/function.h"

#include <array>

#include "core/check.h"

namespace brim {
namespace {

constexpr std::array<FunctionFacts, kFunctionCount> kTable = {{
    {Function::kAbs, "abs", 1, Accepts::kRealNumeric, Gives::kOperand, 1},
    {Function::kAcos, "acos", 1, Accepts::kRealFloating, Gives::kOperand, 12},
    {Function::kAcosh, "acosh", 1, Accepts::kRealFloating, Gives::kOperand, 16},
    {Function::kAdd, "add", 2, Accepts::kRealNumeric, Gives::kOperand, 1},
    {Function::kAsin, "asin", 1, Accepts::kRealFloating, Gives::kOperand, 12},
    {Function::kAsinh, "asinh", 1, Accepts::kRealFloating, Gives::kOperand, 16},
    {Function::kAtan, "atan", 1, Accepts::kRealFloating, Gives::kOperand, 10},
    {Function::kAtan2, "atan2", 2, Accepts::kRealFloating, Gives::kOperand, 14},
    {Function::kAtanh, "atanh", 1, Accepts::kRealFloating, Gives::kOperand, 16},
    {Function::kBitwiseAnd, "bitwise_and", 2, Accepts::kIntegerOrBool, Gives::kOperand, 1},
    {Function::kBitwiseInvert, "bitwise_invert", 1, Accepts::kIntegerOrBool, Gives::kOperand, 1},
    {Function::kBitwiseLeftShift, "bitwise_left_shift", 2, Accepts::kInteger, Gives::kOperand, 1},
    {Function::kBitwiseOr, "bitwise_or", 2, Accepts::kIntegerOrBool, Gives::kOperand, 1},
    {Function::kBitwiseRightShift, "bitwise_right_shift", 2, Accepts::kInteger, Gives::kOperand, 1},
    {Function::kBitwiseXor, "bitwise_xor", 2, Accepts::kIntegerOrBool, Gives::kOperand, 1},
    {Function::kCeil, "ceil", 1, Accepts::kRealNumeric, Gives::kOperand, 1},
    {Function::kCopysign, "copysign", 2, Accepts::kRealFloating, Gives::kOperand, 1},
    {Function::kCos, "cos", 1, Accepts::kRealFloating, Gives::kOperand, 10},
    {Function::kCosh, "cosh", 1, Accepts::kRealFloating, Gives::kOperand, 12},
    {Function::kDivide, "divide", 2, Accepts::kRealFloating, Gives::kOperand, 3},
    {Function::kEqual, "equal", 2, Accepts::kAny, Gives::kBool, 1},
    {Function::kExp, "exp", 1, Accepts::kRealFloating, Gives::kOperand, 8},
    {Function::kExpm1, "expm1", 1, Accepts::kRealFloating, Gives::kOperand, 10},
    {Function::kFloor, "floor", 1, Accepts::kRealNumeric, Gives::kOperand, 1},
    {Function::kFloorDivide, "floor_divide", 2, Accepts::kRealNumeric, Gives::kOperand, 6},
    {Function::kGreater, "greater", 2, Accepts::kRealNumeric, Gives::kBool, 1},
    {Function::kGreaterEqual, "greater_equal", 2, Accepts::kRealNumeric, Gives::kBool, 1},
    {Function::kHypot, "hypot", 2, Accepts::kRealFloating, Gives::kOperand, 6},
    {Function::kIsfinite, "isfinite", 1, Accepts::kRealNumeric, Gives::kBool, 1},
    {Function::kIsinf, "isinf", 1, Accepts::kRealNumeric, Gives::kBool, 1},
    {Function::kIsnan, "isnan", 1, Accepts::kRealNumeric, Gives::kBool, 1},
    {Function::kLess, "less", 2, Accepts::kRealNumeric, Gives::kBool, 1},
    {Function::kLessEqual, "less_equal", 2, Accepts::kRealNumeric, Gives::kBool, 1},
    {Function::kLog, "log", 1, Accepts::kRealFloating, Gives::kOperand, 8},
    {Function::kLog10, "log10", 1, Accepts::kRealFloating, Gives::kOperand, 8},
    {Function::kLog1p, "log1p", 1, Accepts::kRealFloating, Gives::kOperand, 10},
    {Function::kLog2, "log2", 1, Accepts::kRealFloating, Gives::kOperand, 8},
    {Function::kLogaddexp, "logaddexp", 2, Accepts::kRealFloating, Gives::kOperand, 20},
    {Function::kLogicalAnd, "logical_and", 2, Accepts::kBool, Gives::kBool, 1},
    {Function::kLogicalNot, "logical_not", 1, Accepts::kBool, Gives::kBool, 1},
    {Function::kLogicalOr, "logical_or", 2, Accepts::kBool, Gives::kBool, 1},
    {Function::kLogicalXor, "logical_xor", 2, Accepts::kBool, Gives::kBool, 1},
    {Function::kMaximum, "maximum", 2, Accepts::kRealNumeric, Gives::kOperand, 1},
    {Function::kMinimum, "minimum", 2, Accepts::kRealNumeric, Gives::kOperand, 1},
    {Function::kMultiply, "multiply", 2, Accepts::kRealNumeric, Gives::kOperand, 1},
    {Function::kNegative, "negative", 1, Accepts::kRealNumeric, Gives::kOperand, 1},
    {Function::kNotEqual, "not_equal", 2, Accepts::kAny, Gives::kBool, 1},
    {Function::kPositive, "positive", 1, Accepts::kRealNumeric, Gives::kOperand, 1},
    {Function::kPow, "pow", 2, Accepts::kRealNumeric, Gives::kOperand, 20},
    {Function::kRemainder, "remainder", 2, Accepts::kRealNumeric, Gives::kOperand, 8},
    {Function::kRound, "round", 1, Accepts::kRealNumeric, Gives::kOperand, 1},
    {Function::kSign, "sign", 1, Accepts::kRealNumeric, Gives::kOperand, 1},
    {Function::kSignbit, "signbit", 1, Accepts::kRealFloating, Gives::kBool, 1},
    {Function::kSin, "sin", 1, Accepts::kRealFloating, Gives::kOperand, 10},
    {Function::kSinh, "sinh", 1, Accepts::kRealFloating, Gives::kOperand, 12},
    {Function::kSqrt, "sqrt", 1, Accepts::kRealFloating, Gives::kOperand, 4},
    {Function::kSquare, "square", 1, Accepts::kRealNumeric, Gives::kOperand, 1},
    {Function::kSubtract, "subtract", 2, Accepts::kRealNumeric, Gives::kOperand, 1},
    {Function::kTan, "tan", 1, Accepts::kRealFloating, Gives::kOperand, 14},
    {Function::kTanh, "tanh", 1, Accepts::kRealFloating, Gives::kOperand, 14},
    {Function::kTrunc, "trunc", 1, Accepts::kRealNumeric, Gives::kOperand, 1},
    {Function::kWhere, "where", 3, Accepts::kAny, Gives::kOperand, 1},
    {Function::kAstype, "astype", 1, Accepts::kAny, Gives::kOperand, 1},
}};

constexpr bool table_in_order() {
  for (int i = 0; i < kFunctionCount; ++i)
    if (static_cast<int>(kTable[static_cast<std::size_t>(i)].function) != i) return false;
  return true;
}
static_assert(table_in_order());

}  // namespace

const FunctionFacts& facts(Function function) {
  const auto index = static_cast<std::size_t>(function);
  check(index < kTable.size(), "a function out of range");
  return kTable[index];
}

std::optional<Function> find_function(std::string_view name) {
  for (const auto& row : kTable)
    if (row.name == name) return row.function;
  return std::nullopt;
}

}  // namespace brim
