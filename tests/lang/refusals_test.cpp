#include <gtest/gtest.h>

#include <ostream>

#include "brim/error.h"
#include "brim/workload.h"

// Every mistake in an expression is told with its place, underlined, and with its likely meaning.
namespace brim {
namespace {

struct Mistake {
  const char* text;
  int line;
  int column;
  const char* says;  ///< must stand somewhere in the message
};

void PrintTo(const Mistake& mistake, std::ostream* out) { *out << '"' << mistake.text << '"'; }

class Refusals : public testing::TestWithParam<Mistake> {};

TEST_P(Refusals, name_place_and_meaning) {
  const auto& mistake = GetParam();
  const std::map<std::string, Array> names = {
      {"rh", full({4, 5}, 1.5F, {.dtype = DType::kFloat32})}, {"n", full({4}, 3)}, {"flag", full({4, 5}, true)}};
  try {
    evaluate(mistake.text, names, "dew.toml");
    FAIL() << "accepted: " << mistake.text;
  } catch (const UsageError& error) {
    const std::string message = error.what();
    const auto place = "dew.toml:" + std::to_string(mistake.line) + ":" + std::to_string(mistake.column) + ": ";
    EXPECT_EQ(message.rfind(place, 0), 0U) << message;
    EXPECT_NE(message.find(mistake.says), std::string::npos) << message;
    EXPECT_NE(message.find('^'), std::string::npos) << message;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Of, Refusals,
    testing::Values(
        Mistake{"rhh * 2", 1, 1, "did you mean 'rh'?"}, Mistake{"2 * maen(rh)", 1, 5, "did you mean 'mean'?"},
        Mistake{"rh +", 1, 5, "ends too early"}, Mistake{"(rh + 1", 1, 1, "never closed"},
        Mistake{"rh[1, 2", 1, 3, "never closed"}, Mistake{"rh + 1)", 1, 7, "nothing opens"},
        Mistake{"2rh", 1, 2, "2*rh"}, Mistake{"rh n", 1, 4, "operator is missing"}, Mistake{"rh = 3", 1, 4, "=="},
        Mistake{"rh > 1 && rh < 2", 1, 8, "'and'"}, Mistake{"rh > 1 || rh < 2", 1, 8, "'or'"},
        Mistake{"!flag", 1, 1, "'not'"}, Mistake{"rh ^ 2", 1, 4, "**"}, Mistake{"", 1, 1, "no expression"},
        Mistake{"# only words", 1, 1, "no expression"}, Mistake{"'abc", 1, 1, "without an end"},
        Mistake{"rh $ 2", 1, 4, "means nothing"}, Mistake{"mean(rh, axis=7)", 1, 1, "axis 7"},
        Mistake{"mean(rh, axes=0)", 1, 10, "no argument 'axes'"},
        Mistake{"mean(rh, 0, true, 4)", 1, 19, "too many arguments"}, Mistake{"mean()", 1, 1, "lacks its argument"},
        Mistake{"mean(rh, x=rh)", 1, 10, "given twice"}, Mistake{"mean(x=rh, 0)", 1, 12, "without a keyword"},
        Mistake{"sum", 1, 1, "is a function"}, Mistake{"rh(3)", 1, 1, "is an array, not a function"},
        Mistake{"rh[9]", 1, 1, "out of bounds"}, Mistake{"rh[0, 0, 0]", 1, 1, "3 axes"},
        Mistake{"rh[1.5]", 1, 4, "in an index"}, Mistake{"rh[::0]", 1, 1, "step 0"},
        Mistake{"rh + n", 1, 1, "broadcast"}, Mistake{"rh & rh", 1, 4, "bitwise_and"},
        Mistake{"flag + flag", 1, 1, "astype"}, Mistake{"astype(rh, 'flaot32')", 1, 12, "did you mean 'float32'?"},
        Mistake{"where(rh, 1, 2)", 1, 1, "not bool"}, Mistake{"n + 1e400", 1, 5, "beyond"},
        Mistake{"99999999999999999999", 1, 1, "64 bits"}, Mistake{"1 / 0", 1, 1, "division by zero"},
        Mistake{"rh\n  + rhh", 2, 5, "did you mean 'rh'?"}, Mistake{"synthetic(4, '2XB')", 1, 14, "not an amount"},
        Mistake{"synthetic(4, '2MB', cpu='1 parsec')", 1, 25, "not a time"},
        Mistake{"synthetic(0, '2MB')", 1, 1, "0 tasks"}, Mistake{"('a', 'b')", 1, 1, "not an array"},
        Mistake{"rh.shap", 1, 4, "did you mean 'shape'?"}, Mistake{"rh[", 1, 4, "ends too early"},
        Mistake{"rh[]", 1, 3, "without anything"},
        Mistake{"full((2, 2), rh)", 1, 14, "an array where a number is needed"},
        Mistake{"linspace(0, 1, -3)", 1, 1, "-3"}, Mistake{"arange(0, 5, 0)", 1, 1, "step"},
        Mistake{"1 + 'a'", 1, 1, "a string"}));

INSTANTIATE_TEST_SUITE_P(
    OfArguments, Refusals,
    testing::Values(
        Mistake{"mean(rh, 'x')", 1, 10, "the argument 'axis' of mean: a string"},
        Mistake{"mean(rh, axis=4294967296)", 1, 15, "up to 16 axes"},
        Mistake{"mean(rh, axis=(0, 0))", 1, 1, "named twice"}, Mistake{"mean(rh, keepdims=1)", 1, 19, "true or false"},
        Mistake{"mean('rh')", 1, 6, "a string where an array"},
        Mistake{"zeros(10/2)", 1, 7, "// divides whole numbers"},
        Mistake{"zeros((2, 2.5))", 1, 7, "a whole number is needed"}, Mistake{"zeros((-1,))", 1, 1, "negative extent"},
        Mistake{"zeros((4, 4), chunks=(2,))", 1, 1, "1 axes against 2"},
        Mistake{"zeros(4, dtype='complex64')", 1, 16, "no dtype 'complex64'"},
        Mistake{"zeros(4, dtype=float32)", 1, 16, "unknown name 'float32'"},
        Mistake{"exp((1, 2))", 1, 5, "a tuple where an array or a number"}, Mistake{"exp(None)", 1, 5, "nothing where"},
        Mistake{"round(rh, 2)", 1, 11, "it takes round(x)"}, Mistake{"clip(rh, 0, min=1)", 1, 13, "given twice"},
        Mistake{"clip(rh, None, min=1)", 1, 16, "given twice"}, Mistake{"arange(rh)", 1, 8, "an array where a number"},
        Mistake{"synthetic(4, '2MB', after=rh)", 1, 1, "after synthetic work only"},
        Mistake{"synthetic('4', '2MB')", 1, 11, "whole number"},
        Mistake{"synthetic(4)", 1, 1, "lacks its argument 'memory'"},
        Mistake{"astype(n, 'int8') + 1000", 1, 1, "does not fit int8"}, Mistake{"n ** -1", 1, 1, "x ** -1.0"},
        Mistake{"max(zeros((0, 3)))", 1, 1, "no elements"}, Mistake{"rh[0](1)", 1, 6, "does not fit here"}));

INSTANTIATE_TEST_SUITE_P(
    OfOtherLanguages, Refusals,
    testing::Values(
        Mistake{"np.exp(rh)", 1, 1, "exp(x), not np.exp(x)"}, Mistake{"arctan2(rh, rh)", 1, 1, "atan2(x1, x2)"},
        Mistake{"ln(rh)", 1, 1, "did you mean log(x)?"}, Mistake{"power(rh, 2)", 1, 1, "pow(x1, x2)"},
        Mistake{"float32(rh)", 1, 1, "astype(x, dtype)"}, Mistake{"rh if flag else 0", 1, 4, "where(condition, a, b)"},
        Mistake{"flag ? rh : 0", 1, 6, "where(condition, a, b)"}, Mistake{"rh is n", 1, 4, "write == to compare"},
        Mistake{"rh > 1 & rh < 2", 1, 8, "binds tighter than comparisons"},
        Mistake{"rh − 1", 1, 4, "not the minus of the keyboard"}, Mistake{"2 × rh", 1, 3, "to multiply write *"},
        Mistake{"rh²", 1, 3, "**2"}, Mistake{"rh ≤ 2", 1, 4, "write <="}, Mistake{"π * rh", 1, 1, "write pi"},
        Mistake{"astype(rh, “float32”)", 1, 12, "plain quotes"}, Mistake{"rh; n", 1, 3, "one formula"},
        Mistake{"rh + \\\n 1", 1, 6, "may go on in the next line"}, Mistake{"{rh}", 1, 1, "means nothing"},
        Mistake{"rh @ rh", 1, 4, "means nothing"}, Mistake{"rh++", 1, 5, "ends too early"},
        Mistake{"rh <> 2", 1, 5, "does not fit here"}, Mistake{"NaN * rh", 1, 1, "did you mean 'nan'?"},
        Mistake{"TRUE", 1, 1, "'true'"}, Mistake{"rh.mean", 1, 4, "call it: mean(x"}, Mistake{"rh.T", 1, 4, "ndim"},
        Mistake{"(1).shape", 1, 5, "only arrays have attributes"}, Mistake{"lambda x: x", 1, 8, "operator is missing"},
        Mistake{"rh 'a'", 1, 4, "operator is missing"}));

INSTANTIATE_TEST_SUITE_P(
    OfNumbersAndPlaces, Refusals,
    testing::Values(Mistake{"0x", 1, 1, "without digits"}, Mistake{"0x1G", 1, 4, "follows a number"},
                    Mistake{"1e5e5", 1, 4, "follows a number"}, Mistake{"7 // 0", 1, 1, "division by zero"},
                    Mistake{"7 % 0.0", 1, 1, "division by zero"}, Mistake{"0 ** -1", 1, 1, "division by zero"},
                    Mistake{"(-8) ** 0.5", 1, 1, "fractional power"}, Mistake{"1 << -1", 1, 1, "negative number"},
                    Mistake{"2 ** 64", 1, 1, "passes 64 bits"}, Mistake{"1.5 & 1", 1, 1, "whole numbers and truth"},
                    Mistake{"~1.5", 1, 1, "whole numbers and truth"}, Mistake{"...", 1, 1, "does not fit here"},
                    Mistake{"rh[0:1.5]", 1, 6, "bounds are whole numbers"},
                    Mistake{"rh['a']", 1, 4, "a string in an index"}, Mistake{"rh.shape[2]", 1, 1, "a tuple of 2"},
                    Mistake{"3[0]", 1, 1, "cannot be indexed"}, Mistake{"rh +\n\n", 1, 5, "ends too early"},
                    Mistake{"rh + # more\n", 1, 5, "ends too early"}, Mistake{"# °C\nrhh", 2, 1, "did you mean 'rh'?"},
                    Mistake{"(\n  rh\n  n)", 3, 3, "operator is missing"},
                    Mistake{"mean(rh,\n     axes=0)", 2, 6, "no argument 'axes'"},
                    Mistake{"f(rh", 1, 2, "never closed"}, Mistake{"[rh", 1, 1, "never closed"},
                    Mistake{"(rh]", 1, 4, "does not fit here"}, Mistake{"()", 1, 1, "a tuple, not an array"},
                    Mistake{"'float32'", 1, 1, "a string, not an array"},
                    Mistake{"None", 1, 1, "nothing, not an array"}));

/// The second and third line of an error: what is shown, and what is underlined.
std::string shown(const std::string& text) {
  try {
    evaluate(text, {{"rh", full({4}, 1.5)}}, "x");
  } catch (const UsageError& error) {
    const std::string& what = error.record().what;
    return what.substr(what.find('\n') + 1);
  }
  return "accepted";
}

TEST(Underlines, stand_below_what_is_wrong) {
  EXPECT_EQ(shown("rh + rhh * 2"), "    rh + rhh * 2\n         ^^^");
  EXPECT_EQ(shown("\trhh"), "     rhh\n     ^^^");
  EXPECT_EQ(shown("1 +\n rhh\n + 2"), "     rhh\n     ^^^");
  EXPECT_EQ(shown("rh +"), "    rh +\n        ^");
  EXPECT_EQ(shown(""), "    \n    ^");
}

TEST(Underlines, count_letters_not_bytes) {
  EXPECT_EQ(shown("astype(rh, 'é€') + rhh"), "    astype(rh, 'é€') + rhh\n               ^^^^");
  EXPECT_EQ(shown("zeros(2, 'é') × 2"), "    zeros(2, 'é') × 2\n                  ^");
}

TEST(Underlines, of_bytes_that_are_no_text_do_not_reach_the_terminal) {
  EXPECT_EQ(shown("rh + \x1b[31m"), "    rh + ?[31m\n         ^");
  EXPECT_EQ(shown("rh \xff\xe2\x82"), "    rh ???\n       ^");
  EXPECT_EQ(shown("rh \x7f"), "    rh ?\n       ^");
}

TEST(Underlines, of_long_lines_show_the_part_around_the_mistake) {
  const std::string filler(300, ' ');
  const auto text = shown("rh +" + filler + "rhh" + filler + "+ 1");
  EXPECT_EQ(text,
            "    " + std::string(60, ' ') + "rhh" + std::string(40, ' ') + "\n    " + std::string(60, ' ') + "^^^");
  // Cut between letters, never inside one.
  std::string letters;
  for (int i = 0; i < 200; ++i) letters += "é";
  EXPECT_EQ(shown("'" + letters + "' + rhh").find('?'), std::string::npos);
}

TEST(Language, accepts_what_people_write) {
  const std::map<std::string, Array> names = {{"x", full({4, 5, 6}, 1.5)}};
  for (const auto* text : {"x[1:, ::-1, ...]",
                           "x[..., newaxis, 0]",
                           "x[-1, None]",
                           "mean(x, axis=(0, -1), keepdims=true)",
                           "x.mean(axis=0)",
                           "x.astype('float32') * 2",
                           "clip(x, min=0)",
                           "clip(x, max=3)",
                           "where(x > 1 and x < 2, x, nan)",
                           "0 < x <= 1",
                           "not (x > 1)",
                           "~(x > 1) & (x < 3)",
                           "max(x) - min(x)",
                           "x ** 2 ** 0.5",
                           "-x",
                           "+x",
                           "x % 2 // 1",
                           "x # comment\n + 1",
                           "sum(x[:, 0], axis=[0])",
                           "x - x.mean(axis=-1, keepdims=true)",
                           "zeros(x.shape, dtype=x.dtype) + x.ndim * x.size / x.shape[-1]",
                           "x[:, x.shape[1] // 2]",
                           "clip(x, None, 3)",
                           "mean(x, axis=None)",
                           "(x\n  + 1\n)",
                           "x.clip(0, 1).sum()",
                           "linspace(0, 1, 6) + x"})
    EXPECT_NO_THROW(evaluate(text, names)) << text;
}

TEST(Language, keeps_float32_beside_functions_of_numbers) {
  const std::map<std::string, Array> names = {{"x", ones({2}, {.dtype = DType::kFloat32})}};
  for (const auto* text : {"x * exp(1)", "x + abs(-2)", "x / floor(2.5)", "x * pow(2, 3)", "x + maximum(1, 2.5)",
                           "x * sqrt(2) ** 2", "x + sign(-3)", "x - hypot(3, 4)", "x * divide(1, 3)", "x + e * pi"})
    EXPECT_EQ(evaluate(text, names).dtype(), DType::kFloat32) << text;
  EXPECT_EQ(evaluate("abs(-3)", {}).dtype(), DType::kInt64);
  EXPECT_EQ(evaluate("isnan(nan)", {}).dtype(), DType::kBool);
}

TEST(Language, prefers_names_to_constants) {
  const std::map<std::string, Array> names = {{"e", ones({2}, {.dtype = DType::kFloat32})}};
  EXPECT_EQ(evaluate("e", names).shape(), Shape{2});
  EXPECT_EQ(evaluate("e", {}).shape(), Shape{});
}

TEST(Language, help_lists_every_function) {
  const auto help = language_help();
  for (const auto* line : {"clip(x, min=..., max=...)\n", "atan2(x1, x2)\n", "sum(x, axis=..., keepdims=...)\n",
                           "synthetic(tasks, memory, cpu=..., wait=..., after=..., touched=...)\n"})
    EXPECT_NE(help.find(line), std::string::npos) << line;
}

}  // namespace
}  // namespace brim
