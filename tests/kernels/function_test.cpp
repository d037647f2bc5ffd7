#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>

#include "kernels/single_function.h"

namespace brim::kernels {
namespace {

using oracle::OracleArray;
using testing::all_pairs;
using testing::awkward_values;
using testing::element;
using testing::random_values;
using testing::ulps;

/// A function with one of the dtypes that it takes.
struct Case {
  Function function;
  DType dtype;
};

std::vector<Case> every_case() {
  std::vector<Case> cases;
  for (int i = 0; i < kFunctionCount; ++i)
    for (const DType dtype : kAllDTypes) {
      const auto function = static_cast<Function>(i);
      if (function != Function::kAstype && testing::takes(function, dtype)) cases.push_back({function, dtype});
    }
  return cases;
}

/// NumPy's expression of the function over a, b and c. NumPy has no name of its own for some.
std::string expression_of(Function function, DType dtype) {
  static const std::map<std::string_view, std::string> kOtherNames = {
      {"acos", "arccos(a)"},
      {"acosh", "arccosh(a)"},
      {"asin", "arcsin(a)"},
      {"asinh", "arcsinh(a)"},
      {"atan", "arctan(a)"},
      {"atan2", "arctan2(a, b)"},
      {"atanh", "arctanh(a)"},
      {"bitwise_invert", "invert(a)"},
      {"bitwise_left_shift", "left_shift(a, b)"},
      {"bitwise_right_shift", "right_shift(a, b)"},
      {"pow", "power(a, b)"},
      {"round", "rint(a)"},
      {"where", "where(a, b, c)"},
  };
  const FunctionFacts& fact = facts(function);
  const bool rounds = function == Function::kFloor || function == Function::kCeil || function == Function::kTrunc ||
                      function == Function::kRound;
  if (rounds && is_integer(dtype)) return "a";
  if (function == Function::kPow && is_signed_integer(dtype))
    return "np.where(b >= 0, np.power(a, np.maximum(b, 0)), np.where(a == 1, 1, np.where(a == -1, 1 - 2 * (b % 2), "
           "0))).astype(a.dtype)";
  const auto other = kOtherNames.find(fact.name);
  if (other != kOtherNames.end()) return "np." + other->second;
  return "np." + std::string(fact.name) + (fact.arity == 1 ? "(a)" : "(a, b)");
}

/// Units in the last place by which brim may differ from the value of NumPy computed one precision higher.
double allowed_ulps(Function function) {
  switch (function) {
    case Function::kAcos:
    case Function::kAcosh:
    case Function::kAsin:
    case Function::kAsinh:
    case Function::kAtan:
    case Function::kAtan2:
    case Function::kAtanh:
    case Function::kCos:
    case Function::kCosh:
    case Function::kExp:
    case Function::kExpm1:
    case Function::kHypot:
    case Function::kLog:
    case Function::kLog10:
    case Function::kLog1p:
    case Function::kLog2:
    case Function::kLogaddexp:
    case Function::kPow:
    case Function::kSin:
    case Function::kSinh:
    case Function::kTan:
    case Function::kTanh:
      return 4;
    default:
      return 0;
  }
}

class EachFunction : public ::testing::TestWithParam<Case> {
 protected:
  std::vector<OracleArray> operands() const {
    const auto [function, dtype] = GetParam();
    const auto values = awkward_values(dtype);
    if (facts(function).arity == 1) {
      auto all = values;
      const auto more = random_values(dtype, 5000, 11);
      all.bytes.insert(all.bytes.end(), more.bytes.begin(), more.bytes.end());
      all.shape[0] += more.shape[0];
      return {all};
    }
    auto [first, second] = all_pairs(values);
    const auto more_first = random_values(dtype, 5000, 12);
    const auto more_second = random_values(dtype, 5000, 13);
    first.bytes.insert(first.bytes.end(), more_first.bytes.begin(), more_first.bytes.end());
    second.bytes.insert(second.bytes.end(), more_second.bytes.begin(), more_second.bytes.end());
    first.shape[0] = second.shape[0] = first.shape[0] + 5000;
    if (facts(function).arity == 2) return {first, second};
    return {random_values(DType::kBool, first.shape[0], 14), first, second};
  }
};

TEST_P(EachFunction, GivesNumPysValues) {
  const auto [function, dtype] = GetParam();
  const auto inputs = operands();
  const DType result = testing::result_of(function, dtype);
  const auto got = testing::run(testing::program_of(function, dtype, result), inputs[0].shape, inputs).front();
  std::map<std::string, OracleArray> names;
  for (std::size_t i = 0; i < inputs.size(); ++i) names[std::string(1, "abc"[i])] = inputs[i];
  const double allowed = is_floating(dtype) ? allowed_ulps(function) : 0;
  std::string expression = expression_of(function, dtype);
  if (allowed > 0) {
    // The reference is one precision higher, rounded: NumPy's own float32 and float64 functions are some ulps off.
    const bool exact_enough = dtype == DType::kFloat32 || function == Function::kPow;  // powl errs at (-inf, -2^63)
    const std::string wider = exact_enough ? "np.float64" : "np.longdouble";
    expression = "(lambda a, b: " + expression + ".astype(dtype))(a.astype(" + wider + "), " +
                 (inputs.size() > 1 ? "b.astype(" + wider + ")" : "None") + ")";
    expression.replace(expression.find("(dtype)"), 7, "(\"" + std::string(to_string(dtype)) + "\")");
  }
  const auto want = oracle::evaluate(expression, names);
  ASSERT_EQ(want.dtype, result);
  ASSERT_EQ(want.shape, got.shape);
  int shown = 0;
  if (!is_floating(result)) {
    const auto size = static_cast<std::size_t>(item_size(result));
    for (std::size_t i = 0; i < got.bytes.size() && shown < 5; ++i)
      if (got.bytes[i] != want.bytes[i]) {
        ADD_FAILURE() << "element " << i / size << " differs";
        i += size;
        ++shown;
      }
    return;
  }
  double worst = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(got.shape[0]); ++i) {
    double apart = ulps(element(got, i), element(want, i), dtype);
    // Near zero logaddexp is the difference of numbers near its arguments.
    if (function == Function::kLogaddexp && apart > 0 && std::abs(element(want, i)) < 1)
      apart *= std::max(std::abs(element(want, i)), 1e-300);
    worst = std::max(worst, apart);
    const bool sign_differs =
        element(want, i) == 0 && std::signbit(element(got, i)) != std::signbit(element(want, i)) &&
        function != Function::kMaximum && function != Function::kMinimum && function != Function::kLogaddexp;
    if ((apart > allowed || sign_differs) && shown++ < 5)
      ADD_FAILURE() << "of " << (is_floating(dtype) ? element(inputs[0], i) : 0)
                    << (inputs.size() > 1 ? ", " + std::to_string(element(inputs[1], i)) : "") << ": "
                    << element(got, i) << " instead of " << element(want, i) << ", " << apart << " ulp";
  }
  RecordProperty("worst_ulps", std::to_string(worst));
}

INSTANTIATE_TEST_SUITE_P(Functions, EachFunction, ::testing::ValuesIn(every_case()), [](const auto& info) {
  return std::string(facts(info.param.function).name) + "_" + std::string(to_string(info.param.dtype));
});

}  // namespace
}  // namespace brim::kernels
