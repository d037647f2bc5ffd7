#include <gtest/gtest.h>

#include "brim/error.h"
#include "brim/workload.h"
#include "lang/functions.h"
#include "lang/syntax.h"

// What expressions may be built of: how deep and long they may be, which names they use, and that every function of
// the language can be called.
namespace brim::lang {
namespace {

std::string repeated(const std::string& text, int times) {
  std::string whole;
  for (int i = 0; i < times; ++i) whole += text;
  return whole;
}

const std::map<std::string, Array>& names() {
  static const std::map<std::string, Array> table = {{"x", full({4, 5}, 1.5)}};
  return table;
}

void expect_refused(const std::string& text, const std::string& says) {
  try {
    evaluate(text, names());
    ADD_FAILURE() << "accepted: " << text.substr(0, 80);
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find(says), std::string::npos) << std::string(error.what()).substr(0, 400);
  }
}

TEST(Structure, that_nests_too_deeply_is_refused_however_it_is_written) {
  // Parentheses and calls behind one another multiply: neither is deep by itself.
  for (const std::string link : {".abs()", "[...]"})
    expect_refused(repeated("(", 200) + "x" + repeated(repeated(link, 40) + ")", 200), "nested too deeply");
  expect_refused(repeated("(", 240) + "x" + repeated("+1<2)", 240), "nested too deeply");
  expect_refused(repeated("-", 400) + "x", "nested too deeply");
  expect_refused("x" + repeated("**1", 400), "nested too deeply");
  expect_refused(repeated("[", 400) + "x" + repeated("]", 400), "nested too deeply");
  expect_refused(repeated("abs(", 400) + "x" + repeated(")", 400), "nested too deeply");
}

TEST(Structure, that_is_long_but_flat_is_taken) {
  EXPECT_NO_THROW(evaluate("x" + repeated("+1", 5000), names()));
  EXPECT_NO_THROW(evaluate("x" + repeated("<x", 5000), names()));
  EXPECT_NO_THROW(evaluate("x" + repeated(" and x<1", 3000), names()));
  EXPECT_NO_THROW(evaluate(repeated("(", 100) + "x" + repeated("+1+2*3-4)", 100), names()));
  EXPECT_NO_THROW(evaluate("x" + repeated(".abs()", 60), names()));
  expect_refused("x" + repeated("+1", 20'000), "too long a chain");
}

TEST(Structure, gives_its_names_from_left_to_right) {
  const SourceText source{"a + f(b, axis=c)[d:e, ...] * (g, [h]) - i.shape[0] < j < k"};
  EXPECT_EQ(names_in(*parse(source)), (std::vector<std::string>{"a", "b", "c", "d", "e", "g", "h", "i", "j", "k"}));
}

TEST(Structure, has_not_where_python_has_it) {
  for (const auto* text : {"not x > 1", "not not x", "not x and x > 1", "(not x) + 1", "x == (not x)", "[not x][0]"})
    EXPECT_NO_THROW(parse(SourceText{text})) << text;
  for (const auto* text : {"1 + not x", "x == not x", "- not x", "2 ** not x", "x < not x"})
    expect_refused(text, "(not x)");
}

TEST(Structure, of_an_index_is_no_condition) { expect_refused("x[x > 1]", "where(condition, x, nan)"); }

/// An argument that a parameter of that name takes.
std::string argument_for(const std::string& function, const std::string& parameter) {
  static const std::map<std::string, std::string> kArguments = {
      {"condition", "x > 1"}, {"axis", "0"},       {"keepdims", "true"},  {"dtype", "'float32'"},
      {"shape", "(4, 5)"},    {"value", "2"},      {"start", "0"},        {"stop", "5"},
      {"step", "2"},          {"num", "4"},        {"endpoint", "false"}, {"tasks", "3"},
      {"memory", "'1MB'"},    {"cpu", "'1ms'"},    {"wait", "0.5"},       {"min", "0"},
      {"max", "1"},           {"x", "x"},          {"x1", "x"},           {"x2", "x"},
      {"after", "()"},        {"touched", "'2MB'"}};
  if (function.starts_with("bitwise") && parameter.starts_with("x")) return "astype(x, 'int32')";
  if (parameter == "chunks") return function == "arange" || function == "linspace" ? "(2,)" : "(2, 2)";
  return kArguments.at(parameter);
}

std::string call_of(const LanguageFunction& function, bool optional, bool keywords) {
  std::string text;
  for (const auto& parameter : function.parameters) {
    if (!parameter.required && !optional) continue;
    text += (text.empty() ? "" : ", ") + (keywords ? parameter.name + "=" : std::string()) +
            argument_for(function.name, parameter.name);
  }
  return function.name + "(" + text + ")";
}

TEST(EveryFunction, is_called_with_its_arguments_in_order_or_by_name) {
  for (const auto& function : language_functions())
    for (const bool optional : {false, true})
      for (const bool keywords : {false, true}) {
        const auto text = call_of(function, optional, keywords);
        EXPECT_NO_THROW(evaluate(text, names())) << text;
      }
}

TEST(EveryFunction, refuses_one_argument_too_many_an_unknown_one_and_a_string) {
  for (const auto& function : language_functions()) {
    auto call = call_of(function, true, false);
    call.pop_back();
    expect_refused(call + ", 1)", "too many arguments for " + function.name);
    expect_refused(call + ", nonsense=1)", "it takes " + function.signature());
    const auto& first = function.parameters.front().name;
    expect_refused(call + ", " + first + "=1)", "'" + first + "' is given twice");
    expect_refused(function.name + "()", function.name + " lacks its argument '" + first + "'");
    std::string strings;
    for (std::size_t i = 0; i < function.parameters.size(); ++i) strings += i == 0 ? "'?'" : ", '?'";
    expect_refused(function.name + "(" + strings + ")", "a string");
  }
}

}  // namespace
}  // namespace brim::lang
