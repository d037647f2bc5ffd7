#include <gtest/gtest.h>

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
        Mistake{"2rh", 1, 2, "2*x"}, Mistake{"rh n", 1, 4, "operator is missing"}, Mistake{"rh = 3", 1, 4, "=="},
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
        Mistake{"rh + n", 1, 1, "broadcast"}, Mistake{"rh & rh", 1, 1, "bitwise_and"},
        Mistake{"flag + flag", 1, 1, "astype"}, Mistake{"astype(rh, 'flaot32')", 1, 1, "did you mean 'float32'?"},
        Mistake{"where(rh, 1, 2)", 1, 1, "not bool"}, Mistake{"n + 1e400", 1, 5, "beyond"},
        Mistake{"99999999999999999999", 1, 1, "64 bits"}, Mistake{"1 / 0", 1, 1, "division by zero"},
        Mistake{"rh\n  + rhh", 2, 5, "did you mean 'rh'?"}, Mistake{"synthetic(4, '2XB')", 1, 1, "not an amount"},
        Mistake{"synthetic(4, '2MB', cpu='1 parsec')", 1, 1, "not a time"},
        Mistake{"synthetic(0, '2MB')", 1, 1, "0 tasks"}, Mistake{"('a', 'b')", 1, 1, "not an array"},
        Mistake{"rh.shape", 1, 9, "no attributes"}, Mistake{"rh[", 1, 4, "ends too early"},
        Mistake{"rh[]", 1, 3, "without anything"}, Mistake{"full((2, 2), rh)", 1, 1, "must be a number"},
        Mistake{"linspace(0, 1, -3)", 1, 1, "-3"}, Mistake{"arange(0, 5, 0)", 1, 1, "step"},
        Mistake{"1 + 'a'", 1, 1, "a string"}));

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
                           "linspace(0, 1, 6) + x"})
    EXPECT_NO_THROW(evaluate(text, names)) << text;
}

TEST(Language, help_lists_every_function) {
  const auto help = language_help();
  for (const auto* line : {"clip(x, min=..., max=...)\n", "atan2(x1, x2)\n", "sum(x, axis=..., keepdims=...)\n",
                           "synthetic(tasks, memory, cpu=..., wait=..., after=...)\n"})
    EXPECT_NE(help.find(line), std::string::npos) << line;
}

}  // namespace
}  // namespace brim
