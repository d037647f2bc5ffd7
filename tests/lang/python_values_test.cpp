#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "brim/error.h"
#include "lang/evaluate.h"
#include "oracle/numpy_oracle.h"

// Expressions of numbers alone come to what Python's eval makes of the same text.
namespace brim::lang {
namespace {

Value value_of(const std::string& text) {
  const SourceText source{text};
  const auto syntax = parse(source);
  return evaluate(*syntax, source, [](const std::string&) { return std::nullopt; }, {});
}

double python(const std::string& text) {
  const auto result = oracle::evaluate("np.float64(" + text + ")");
  return result.as<double>()[0];
}

void expect_like_python(const std::string& text) {
  const auto expected = python(text);
  const auto found = require_number(value_of(text));
  EXPECT_TRUE(found == expected || (std::isnan(found) && std::isnan(expected)))
      << text << " is " << found << ", Python says " << expected;
}

TEST(PythonValues, of_precedence_and_grouping) {
  for (const auto* text :
       {"-2**2",        "2**-1",        "2**3**2",    "(-2)**2",   "-7//2",       "-7%3",       "7%-3",
        "-7.5//2",      "7.5%-2",       "1/273",      "6/3",       "2+3*4-5",     "1<<3+1",     "5&3|4^1",
        "~5",           "-~5",          "not 3 == 4", "1 < 2 < 3", "3 > 2 > 2",   "1 == 1.0",   "not 0 or 0",
        "1 and 0 or 1", "0x1F + 1_000", "1e-3*2",     ".5 + 5.",   "True + True", "10 - 3 - 2", "100 // 7 // 2",
        "- - 3",        "+4",           "2*-3",       "5 != 5"})
    expect_like_python(text);
}

std::string random_expression(std::mt19937& random, int depth) {
  const auto pick = [&](int n) { return std::uniform_int_distribution<int>(0, n - 1)(random); };
  if (depth == 0 || pick(4) == 0)
    return pick(2) == 0 ? std::to_string(pick(9) + 1) : std::to_string(pick(9)) + "." + std::to_string(pick(9) + 1);
  static constexpr const char* kOperators[] = {"+", "-", "*", "/", "//", "%", "<", "<=", "==", "!=", ">=", ">"};
  if (pick(6) == 0) return "-" + random_expression(random, depth - 1);
  if (pick(5) == 0) return "(" + random_expression(random, depth - 1) + ")";
  return random_expression(random, depth - 1) + " " + kOperators[pick(12)] + " " + random_expression(random, depth - 1);
}

TEST(PythonValues, of_random_expressions) {
  std::mt19937 random(77);
  int compared = 0;
  for (int round = 0; round < 400; ++round) {
    const auto text = random_expression(random, 4);
    double expected = 0;
    try {
      expected = python(text);
    } catch (const std::runtime_error&) {
      EXPECT_THROW(value_of(text), UsageError) << text << " (seed 77, round " << round << ")";
      continue;
    }
    EXPECT_EQ(require_number(value_of(text)), expected) << text << " (seed 77, round " << round << ")";
    ++compared;
  }
  EXPECT_GT(compared, 200);
}

TEST(PythonValues, too_large_for_64_bits_are_errors) {
  for (const auto* text :
       {"2**63", "9223372036854775807 + 1", "3037000500 * 3037000500", "1 << 63", "-9223372036854775807 - 2"})
    EXPECT_THROW(value_of(text), UsageError) << text;
  EXPECT_EQ(require_integer(value_of("2**62")), std::int64_t{1} << 62);
}

TEST(Language, survives_token_soup_and_random_bytes) {
  static constexpr const char* kTokens[] = {"(",    ")",  "[",   "]",   ",",  ":",  "x",   "1",   "2.5", "+",
                                            "-",    "**", "not", "and", "=",  "==", "...", "'s'", ".",   "mean",
                                            "#c\n", "~",  "!",   "&&",  "\"", "1e", "0x",  "_"};
  std::mt19937 random(5);
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    const auto length = std::uniform_int_distribution<int>(0, 14)(random);
    for (int i = 0; i < length; ++i) {
      if (round % 2 == 0)
        text += kTokens[std::uniform_int_distribution<std::size_t>(0, std::size(kTokens) - 1)(random)];
      else
        text += static_cast<char>(std::uniform_int_distribution<int>(0, 255)(random));
    }
    try {
      value_of(text);
    } catch (const UsageError& error) {
      EXPECT_NE(std::string(error.what()).find("expression:"), std::string::npos)
          << "seed 5, round " << round << ": " << text;
    }
  }
}

TEST(Language, refuses_what_would_overflow_the_stack) {
  EXPECT_THROW(value_of(std::string(100'000, '(')), UsageError);
  EXPECT_THROW(value_of(std::string(100'000, '-') + "1"), UsageError);
  std::string chain = "1";
  for (int i = 1; i < 5000; ++i) chain += "+1";
  EXPECT_EQ(require_integer(value_of(chain)), 5000);
  for (int i = 0; i < 100'000; ++i) chain += "+1";
  EXPECT_THROW(value_of(chain), UsageError);
}

}  // namespace
}  // namespace brim::lang
