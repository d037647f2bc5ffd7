#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "brim/error.h"
#include "lang/value.h"
#include "oracle/numpy_oracle.h"

// Every operator between two numbers, over all pairs of values at the edges: what Python computes, bit for bit, or an
// error where Python has one and where a whole number leaves 64 bits.
namespace brim::lang {
namespace {

constexpr auto kLargest = std::numeric_limits<std::int64_t>::max();
constexpr auto kSmallest = std::numeric_limits<std::int64_t>::min();

/// What an operator came to: the type, and the value's bits.
struct Outcome {
  enum Kind : std::int64_t { kTruth, kWhole, kFloating, kRefused };
  std::int64_t kind = kRefused;
  std::int64_t bits = 0;
};

/// Python's side: outcomes(op) over all pairs of `values`, as rows of kind and bits.
constexpr const char* kPythonOutcomes = R"(
import struct

def outcome(op, a, b):
    whole = isinstance(a, int) and isinstance(b, int)
    if whole and ((op == '**' and abs(a) > 1 and b > 64) or (op == '<<' and a != 0 and b > 64)):
        return 3, 0  # Python would compute for hours
    if op in ('and', 'or'):
        a, b = bool(a), bool(b)
    try:
        value = eval(f'a {op} b', {'a': a, 'b': b})
    except (ZeroDivisionError, OverflowError, ValueError, TypeError):
        return 3, 0
    if isinstance(value, bool):
        return 0, int(value)
    if isinstance(value, int):
        return (1, value) if -2**63 <= value < 2**63 else (3, 0)
    if isinstance(value, complex):
        return 3, 0
    if value != value:
        value = float('nan')
    return 2, struct.unpack('q', struct.pack('d', value))[0]

def outcomes(op, values):
    return [outcome(op, a, b) for a in values for b in values]
)";

std::vector<Value> edge_values() {
  std::vector<Value> values(2);
  values[0].held = false;
  values[1].held = true;
  for (const std::int64_t whole :
       std::vector<std::int64_t>{0, 1, -1, 2, -2, 3, -7, 62, 63, 64, (std::int64_t{1} << 53) + 1, kLargest, kSmallest})
    values.emplace_back().held = whole;
  for (const double floating : {0.0, -0.0, 0.5, -0.5, 1.0, -3.0, 7.25, 0.1, -0.1, 1e16, 4503599627370497.0, 0x1p53,
                                0x1p63, 1e300, -1e300, 5e-324, HUGE_VAL, -HUGE_VAL, std::nan("")})
    values.emplace_back().held = floating;
  return values;
}

std::string in_python(const Value& value) {
  if (const auto* held = std::get_if<bool>(&value.held)) return *held ? "True" : "False";
  if (const auto* held = std::get_if<std::int64_t>(&value.held)) return fmt::format("({})", *held);
  return fmt::format("float('{:.17g}')", std::get<double>(value.held));
}

Outcome outcome(std::string_view symbol, const Value& a, const Value& b) {
  try {
    const auto result = number_operator(symbol, a, b);
    if (const auto* held = std::get_if<bool>(&result.held)) return {Outcome::kTruth, *held ? 1 : 0};
    if (const auto* held = std::get_if<std::int64_t>(&result.held)) return {Outcome::kWhole, *held};
    const double number = std::get<double>(result.held);
    return {Outcome::kFloating,
            std::bit_cast<std::int64_t>(std::isnan(number) ? std::numeric_limits<double>::quiet_NaN() : number)};
  } catch (const UsageError&) {
    return {};
  }
}

class NumberOperators : public testing::TestWithParam<const char*> {};

TEST_P(NumberOperators, give_what_python_gives) {
  const std::string symbol = GetParam();
  const auto values = edge_values();
  std::string list;
  for (const auto& value : values) list += in_python(value) + ",";
  (void)oracle::evaluate(
      "np.array([exec(kept.setdefault('source', code.tobytes().decode()), kept) is None])",
      {{"code",
        oracle::oracle_array<char>(DType::kUInt8, {static_cast<std::int64_t>(std::string_view(kPythonOutcomes).size())},
                                   std::string_view(kPythonOutcomes))}});
  const auto expected = oracle::evaluate("np.array(kept['outcomes']('" + symbol + "', [" + list + "]), dtype='int64')");
  const auto numbers = expected.as<std::int64_t>();
  ASSERT_EQ(numbers.size(), values.size() * values.size() * 2);
  std::size_t at = 0;
  for (const auto& a : values)
    for (const auto& b : values) {
      const auto found = outcome(symbol, a, b);
      EXPECT_TRUE(found.kind == numbers[at] && found.bits == numbers[at + 1])
          << in_python(a) << " " << symbol << " " << in_python(b) << " gives kind " << found.kind << ", bits "
          << found.bits << ", Python has kind " << numbers[at] << ", bits " << numbers[at + 1];
      at += 2;
    }
}

INSTANTIATE_TEST_SUITE_P(Of, NumberOperators,
                         testing::Values("+", "-", "*", "/", "//", "%", "**", "<<", ">>", "&", "|", "^", "<", "<=", ">",
                                         ">=", "==", "!=", "and", "or"));

}  // namespace
}  // namespace brim::lang
