#include "core/function.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "brim/error.h"

namespace brim {
namespace {

// "Element-wise Functions" of the Python array API standard 2023.12, without those for complex numbers only (conj,
// imag, real) and without clip, which is made of maximum and minimum.
constexpr std::string_view kStandard[] = {"abs",
                                          "acos",
                                          "acosh",
                                          "add",
                                          "asin",
                                          "asinh",
                                          "atan",
                                          "atan2",
                                          "atanh",
                                          "bitwise_and",
                                          "bitwise_left_shift",
                                          "bitwise_invert",
                                          "bitwise_or",
                                          "bitwise_right_shift",
                                          "bitwise_xor",
                                          "ceil",
                                          "copysign",
                                          "cos",
                                          "cosh",
                                          "divide",
                                          "equal",
                                          "exp",
                                          "expm1",
                                          "floor",
                                          "floor_divide",
                                          "greater",
                                          "greater_equal",
                                          "hypot",
                                          "isfinite",
                                          "isinf",
                                          "isnan",
                                          "less",
                                          "less_equal",
                                          "log",
                                          "log1p",
                                          "log2",
                                          "log10",
                                          "logaddexp",
                                          "logical_and",
                                          "logical_not",
                                          "logical_or",
                                          "logical_xor",
                                          "maximum",
                                          "minimum",
                                          "multiply",
                                          "negative",
                                          "not_equal",
                                          "positive",
                                          "pow",
                                          "remainder",
                                          "round",
                                          "sign",
                                          "signbit",
                                          "sin",
                                          "sinh",
                                          "square",
                                          "sqrt",
                                          "subtract",
                                          "tan",
                                          "tanh",
                                          "trunc"};

TEST(FunctionTable, HoldsEveryElementwiseFunctionOfTheStandard) {
  for (const auto name : kStandard) EXPECT_TRUE(find_function(name)) << name;
}

TEST(FunctionTable, HoldsNothingBesidesButWhereAndAstype) {
  EXPECT_EQ(static_cast<std::size_t>(kFunctionCount), std::size(kStandard) + 2);
  EXPECT_EQ(find_function("where"), Function::kWhere);
  EXPECT_EQ(find_function("astype"), Function::kAstype);
}

TEST(FunctionTable, FindsEachFunctionByItsOwnName) {
  for (int i = 0; i < kFunctionCount; ++i) {
    const auto function = static_cast<Function>(i);
    EXPECT_EQ(facts(function).function, function);
    EXPECT_EQ(find_function(facts(function).name), function) << facts(function).name;
  }
  EXPECT_EQ(find_function("Abs"), std::nullopt);
  EXPECT_EQ(find_function(""), std::nullopt);
  EXPECT_EQ(find_function("power"), std::nullopt) << "NumPy's name, not the standard's";
}

/// The functions for which `wanted` holds, by name.
template <typename Wanted>
std::set<std::string_view> names_where(Wanted wanted) {
  std::set<std::string_view> names;
  for (int i = 0; i < kFunctionCount; ++i) {
    const auto& row = facts(static_cast<Function>(i));
    if (wanted(row)) names.insert(row.name);
  }
  return names;
}

TEST(FunctionTable, GivesBoolForTheStandardsPredicates) {
  EXPECT_EQ(names_where([](const FunctionFacts& row) { return row.gives == Gives::kBool; }),
            (std::set<std::string_view>{"equal", "greater", "greater_equal", "isfinite", "isinf", "isnan", "less",
                                        "less_equal", "logical_and", "logical_not", "logical_or", "logical_xor",
                                        "not_equal", "signbit"}));
}

TEST(FunctionTable, AcceptsWhatTheStandardAccepts) {
  const auto accepting = [](Accepts accepts) {
    return names_where([=](const FunctionFacts& row) { return row.accepts == accepts; });
  };
  using Names = std::set<std::string_view>;
  EXPECT_EQ(accepting(Accepts::kBool), (Names{"logical_and", "logical_not", "logical_or", "logical_xor"}));
  EXPECT_EQ(accepting(Accepts::kInteger), (Names{"bitwise_left_shift", "bitwise_right_shift"}));
  EXPECT_EQ(accepting(Accepts::kIntegerOrBool), (Names{"bitwise_and", "bitwise_invert", "bitwise_or", "bitwise_xor"}));
  EXPECT_EQ(accepting(Accepts::kAny), (Names{"astype", "equal", "not_equal", "where"}));
  EXPECT_EQ(accepting(Accepts::kRealFloating),
            (Names{"acos",      "acosh",   "asin", "asinh", "atan",  "atan2", "atanh", "copysign", "cos",
                   "cosh",      "divide",  "exp",  "expm1", "hypot", "log",   "log10", "log1p",    "log2",
                   "logaddexp", "signbit", "sin",  "sinh",  "sqrt",  "tan",   "tanh"}));
}

TEST(FunctionTable, HasPlausibleAritiesAndCosts) {
  EXPECT_EQ(names_where([](const FunctionFacts& row) { return row.arity == 3; }),
            (std::set<std::string_view>{"where"}));
  EXPECT_EQ(names_where([](const FunctionFacts& row) { return row.arity == 2; }),
            (std::set<std::string_view>{"add",           "atan2",
                                        "bitwise_and",   "bitwise_left_shift",
                                        "bitwise_or",    "bitwise_right_shift",
                                        "bitwise_xor",   "copysign",
                                        "divide",        "equal",
                                        "floor_divide",  "greater",
                                        "greater_equal", "hypot",
                                        "less",          "less_equal",
                                        "logaddexp",     "logical_and",
                                        "logical_or",    "logical_xor",
                                        "maximum",       "minimum",
                                        "multiply",      "not_equal",
                                        "pow",           "remainder",
                                        "subtract"}));
  EXPECT_TRUE(names_where([](const FunctionFacts& row) { return row.cost < 1 || row.arity < 1; }).empty());
}

TEST(FunctionTable, RefusesANumberOutOfRange) {
  EXPECT_THROW(facts(static_cast<Function>(kFunctionCount)), InternalError);
}

}  // namespace
}  // namespace brim
