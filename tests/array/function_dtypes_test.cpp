#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "array/graph.h"
#include "brim/error.h"
#include "oracle/numpy_oracle.h"

// The dtype that every elementwise function gives for every dtype, or pair of them, that it takes.
namespace brim {
namespace {

struct UnaryCase {
  Function function;
  Array (*build)(Operand);
  const char* numpy;
};

constexpr UnaryCase kUnary[] = {
    {Function::kAbs, &abs, "abs"},
    {Function::kAcos, &acos, "arccos"},
    {Function::kAcosh, &acosh, "arccosh"},
    {Function::kAsin, &asin, "arcsin"},
    {Function::kAsinh, &asinh, "arcsinh"},
    {Function::kAtan, &atan, "arctan"},
    {Function::kAtanh, &atanh, "arctanh"},
    {Function::kBitwiseInvert, &bitwise_invert, "invert"},
    {Function::kCeil, &ceil, "ceil"},
    {Function::kCos, &cos, "cos"},
    {Function::kCosh, &cosh, "cosh"},
    {Function::kExp, &exp, "exp"},
    {Function::kExpm1, &expm1, "expm1"},
    {Function::kFloor, &floor, "floor"},
    {Function::kIsfinite, &isfinite, "isfinite"},
    {Function::kIsinf, &isinf, "isinf"},
    {Function::kIsnan, &isnan, "isnan"},
    {Function::kLog, &log, "log"},
    {Function::kLog10, &log10, "log10"},
    {Function::kLog1p, &log1p, "log1p"},
    {Function::kLog2, &log2, "log2"},
    {Function::kLogicalNot, &logical_not, "logical_not"},
    {Function::kNegative, &negative, "negative"},
    {Function::kPositive, &positive, "positive"},
    {Function::kRound, &round, "rint"},
    {Function::kSign, &sign, "sign"},
    {Function::kSignbit, &signbit, "signbit"},
    {Function::kSin, &sin, "sin"},
    {Function::kSinh, &sinh, "sinh"},
    {Function::kSqrt, &sqrt, "sqrt"},
    {Function::kSquare, &square, "square"},
    {Function::kTan, &tan, "tan"},
    {Function::kTanh, &tanh, "tanh"},
    {Function::kTrunc, &trunc, "trunc"},
};

struct BinaryCase {
  Function function;
  Array (*build)(Operand, Operand);
  const char* numpy;
};

constexpr BinaryCase kBinary[] = {
    {Function::kAdd, &add, "add"},
    {Function::kAtan2, &atan2, "arctan2"},
    {Function::kBitwiseAnd, &bitwise_and, "bitwise_and"},
    {Function::kBitwiseLeftShift, &bitwise_left_shift, "left_shift"},
    {Function::kBitwiseOr, &bitwise_or, "bitwise_or"},
    {Function::kBitwiseRightShift, &bitwise_right_shift, "right_shift"},
    {Function::kBitwiseXor, &bitwise_xor, "bitwise_xor"},
    {Function::kCopysign, &copysign, "copysign"},
    {Function::kDivide, &divide, "divide"},
    {Function::kEqual, &equal, "equal"},
    {Function::kFloorDivide, &floor_divide, "floor_divide"},
    {Function::kGreater, &greater, "greater"},
    {Function::kGreaterEqual, &greater_equal, "greater_equal"},
    {Function::kHypot, &hypot, "hypot"},
    {Function::kLess, &less, "less"},
    {Function::kLessEqual, &less_equal, "less_equal"},
    {Function::kLogaddexp, &logaddexp, "logaddexp"},
    {Function::kLogicalAnd, &logical_and, "logical_and"},
    {Function::kLogicalOr, &logical_or, "logical_or"},
    {Function::kLogicalXor, &logical_xor, "logical_xor"},
    {Function::kMaximum, &maximum, "maximum"},
    {Function::kMinimum, &minimum, "minimum"},
    {Function::kMultiply, &multiply, "multiply"},
    {Function::kNotEqual, &not_equal, "not_equal"},
    {Function::kPow, &pow, "power"},
    {Function::kRemainder, &remainder, "remainder"},
    {Function::kSubtract, &subtract, "subtract"},
};

bool takes(Accepts accepts, DType dtype) {
  switch (accepts) {
    case Accepts::kBool:          // converted by x != 0
    case Accepts::kRealFloating:  // converted to float64
    case Accepts::kAny:
      return true;
    case Accepts::kInteger:
      return is_integer(dtype);
    case Accepts::kIntegerOrBool:
      return is_integer(dtype) || is_bool(dtype);
    case Accepts::kRealNumeric:
      return is_numeric(dtype);
  }
  return false;
}

/// One number per expression: the place of its dtype in kAllDTypes, or -1 for a dtype that brim has not.
std::vector<std::int64_t> numpy_dtypes(const std::vector<std::string>& expressions) {
  std::ostringstream text;
  text << "np.array([{";
  for (std::size_t i = 0; i < kAllDTypes.size(); ++i) text << "'" << to_string(kAllDTypes[i]) << "':" << i << ",";
  text << "}.get((v).dtype.name, -1) for v in [";
  for (const auto& expression : expressions) text << expression << ",";
  text << "]], dtype='int64')";
  const auto answer = oracle::evaluate(text.str());
  const auto numbers = answer.as<std::int64_t>();
  return {numbers.begin(), numbers.end()};
}

std::string ones_of(DType dtype) { return "np.ones(1, '" + std::string(to_string(dtype)) + "')"; }

/// brim's answer where it knowingly differs from NumPy's: floating functions of integers and bools work in float64
/// whatever their width, and functions that round leave integers as they are (array API).
std::optional<DType> deliberate(Function function, DType dtype) {
  if (facts(function).accepts == Accepts::kRealFloating && !is_floating(dtype) && facts(function).gives != Gives::kBool)
    return DType::kFloat64;
  const bool rounds = function == Function::kCeil || function == Function::kFloor || function == Function::kTrunc ||
                      function == Function::kRound;
  if (rounds && is_integer(dtype)) return dtype;
  return std::nullopt;
}

TEST(FunctionDtypes, of_one_array_are_numpys) {
  for (const auto& row : kUnary) {
    std::vector<std::string> expressions;
    std::vector<DType> found;
    std::vector<DType> given;
    for (const DType dtype : kAllDTypes) {
      const auto x = ones({1}, {.dtype = dtype});
      if (!takes(facts(row.function).accepts, dtype)) {
        EXPECT_THROW(row.build(x), UsageError) << row.numpy << " of " << to_string(dtype);
        continue;
      }
      found.push_back(row.build(x).dtype());
      given.push_back(dtype);
      expressions.push_back("np." + std::string(row.numpy) + "(" + ones_of(dtype) + ")");
    }
    const auto numpy = numpy_dtypes(expressions);
    for (std::size_t i = 0; i < found.size(); ++i) {
      const auto own = deliberate(row.function, given[i]);
      const auto expected = own ? static_cast<std::int64_t>(*own) : numpy[i];
      EXPECT_EQ(static_cast<std::int64_t>(found[i]), expected) << expressions[i];
    }
  }
}

TEST(FunctionDtypes, of_every_pair_of_arrays_are_numpys) {
  for (const auto& row : kBinary) {
    std::vector<std::string> expressions;
    std::vector<DType> found;
    std::vector<DType> common;
    for (const DType a : kAllDTypes)
      for (const DType b : kAllDTypes) {
        const auto x1 = ones({1}, {.dtype = a});
        const auto x2 = ones({1}, {.dtype = b});
        if (!takes(facts(row.function).accepts, promote(a, b))) {
          EXPECT_THROW(row.build(x1, x2), UsageError) << row.numpy << " of " << to_string(a) << ", " << to_string(b);
          continue;
        }
        found.push_back(row.build(x1, x2).dtype());
        common.push_back(promote(a, b));
        expressions.push_back("np." + std::string(row.numpy) + "(" + ones_of(a) + "," + ones_of(b) + ")");
      }
    const auto numpy = numpy_dtypes(expressions);
    for (std::size_t i = 0; i < found.size(); ++i) {
      const auto own = deliberate(row.function, common[i]);
      const auto expected = own ? static_cast<std::int64_t>(*own) : numpy[i];
      EXPECT_EQ(static_cast<std::int64_t>(found[i]), expected) << expressions[i];
    }
  }
}

TEST(FunctionDtypes, are_tested_for_every_function) {
  std::vector<Function> tested = {Function::kWhere, Function::kAstype};
  for (const auto& row : kUnary) tested.push_back(row.function);
  for (const auto& row : kBinary) tested.push_back(row.function);
  std::sort(tested.begin(), tested.end());
  EXPECT_EQ(std::unique(tested.begin(), tested.end()), tested.end());
  EXPECT_EQ(tested.size(), static_cast<std::size_t>(kFunctionCount));
}

TEST(FunctionDtypes, of_where_are_those_of_its_values) {
  const auto condition = full({2}, true);
  for (const DType a : kAllDTypes)
    for (const DType b : kAllDTypes) {
      const auto result = where(condition, ones({2}, {.dtype = a}), ones({2}, {.dtype = b}));
      EXPECT_EQ(result.dtype(), promote(a, b)) << to_string(a) << ", " << to_string(b);
    }
  EXPECT_EQ(where(condition, ones({2}, {.dtype = DType::kFloat32}), 0.5).dtype(), DType::kFloat32);
}

TEST(FunctionDtypes, of_clip_stay_floating_or_promote_with_wider_integers) {
  const auto floats = ones({2}, {.dtype = DType::kFloat32});
  const auto bytes = ones({2}, {.dtype = DType::kInt8});
  EXPECT_EQ(clip(floats, 0.0, 1.0).dtype(), DType::kFloat32);
  EXPECT_EQ(clip(floats, zeros({2})).dtype(), DType::kFloat32);
  EXPECT_EQ(clip(bytes, -3, 3).dtype(), DType::kInt8);
  EXPECT_EQ(clip(bytes, {}, full({}, 1000)).dtype(), DType::kInt64);
  EXPECT_EQ(clip(2, floats).dtype(), DType::kFloat32);
  EXPECT_EQ(clip(2).dtype(), DType::kInt64);
  EXPECT_EQ(clip(floats).node(), floats.node());
  EXPECT_THROW(clip(bytes, 0, 1000), UsageError);
}

TEST(FunctionDtypes, do_not_take_integers_to_negative_powers) {
  EXPECT_THROW(pow(ones({2}, {.dtype = DType::kInt32}), -1), UsageError);
  EXPECT_THROW(pow(2, -1), UsageError);
  EXPECT_EQ(pow(ones({2}, {.dtype = DType::kInt32}), -1.0).dtype(), DType::kFloat64);
  EXPECT_EQ(pow(ones({2}, {.dtype = DType::kFloat32}), -1).dtype(), DType::kFloat32);
  EXPECT_EQ(pow(ones({2}, {.dtype = DType::kInt32}), 3).dtype(), DType::kInt32);
}

}  // namespace
}  // namespace brim
