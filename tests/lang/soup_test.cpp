#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "brim/error.h"
#include "brim/workload.h"
#include "lang/functions.h"

// Random expressions over arrays, damaged expressions and damaged workload files: each comes to an array or to an error
// that says where, never to anything else.
namespace brim {
namespace {

namespace fs = std::filesystem;

class Soup {
 public:
  explicit Soup(unsigned seed) : random_(seed) {}

  std::size_t pick(std::size_t count) { return std::uniform_int_distribution<std::size_t>(0, count - 1)(random_); }

  /// Mostly well formed, so that it reaches the functions and not only the parser.
  std::string expression(int depth) {
    if (depth == 0) return of(kLeaves);
    switch (pick(7)) {
      case 0:
      case 1:
        return expression(depth - 1) + " " + of(kOperators) + " " + expression(depth - 1);
      case 2:
        return of(kSigns) + expression(depth - 1);
      case 3:
        return "(" + expression(depth - 1) + ")" + (pick(2) == 0 ? "[" + items(depth - 1) + "]" : "");
      case 4:
      case 5:
        return call(depth - 1);
      default:
        return "(" + expression(depth - 1) + ")." + function().name + "(" + (pick(2) == 0 ? expression(0) : "") + ")";
    }
  }

  /// The text with up to three bytes changed, removed or put in.
  std::string damaged(std::string text) {
    static constexpr char kBytes[] = "()[],:=.+-*/<>&|~!'\"# \n\t0e_x\\\0\x80\xc3\xff";
    for (auto times = pick(3) + 1; times > 0 && !text.empty(); --times) {
      const auto at = pick(text.size());
      switch (pick(3)) {
        case 0:
          text[at] = kBytes[pick(sizeof(kBytes))];
          break;
        case 1:
          text.erase(at, pick(4) + 1);
          break;
        default:
          text.insert(at, 1, kBytes[pick(sizeof(kBytes))]);
      }
    }
    return text;
  }

 private:
  static constexpr const char* kOperators[] = {
      "+", "-", "*", "/", "//", "%", "**", "<", ">", "==", "!=", "<=", "&", "|", "^", "<<", ">>", "and", "or"};
  static constexpr const char* kSigns[] = {"-", "+", "~", "not "};
  static constexpr const char* kLeaves[] = {"x",   "n",      "flag", "empty", "s",   "0",       "1",
                                            "2.5", "-1",     "1e30", "true",  "nan", "'int8'",  "'2MB'",
                                            "()",  "(0, 1)", "None", "inf",   "300", "x.shape", "9223372036854775807"};
  static constexpr const char* kItems[] = {"0", "-1", "...", "newaxis", ":", "::-1", "1:3", "7", ":0", "::2", "5:1:-2"};

  template <std::size_t N>
  std::string of(const char* const (&choices)[N]) {
    return choices[pick(N)];
  }
  const lang::LanguageFunction& function() {
    const auto& all = lang::language_functions();
    return all[pick(all.size())];
  }
  std::string items(int depth) {
    std::string text = of(kItems);
    for (auto more = pick(3); more > 0; --more) text += ", " + (pick(8) == 0 ? expression(depth) : of(kItems));
    return text;
  }
  std::string call(int depth) {
    const auto& called = function();
    std::string text;
    for (const auto& parameter : called.parameters) {
      if (!parameter.required && pick(2) == 0) continue;
      const bool named = !parameter.required || pick(4) == 0;
      text += (text.empty() ? "" : ", ") + (named ? parameter.name + "=" : "") + expression(depth);
    }
    return called.name + "(" + text + ")";
  }

  std::mt19937 random_;
};

/// Whether it came to an array. Fails the test for errors without a place.
bool comes_to_an_array(const std::string& text, const std::string& round) {
  static const std::map<std::string, Array> kNames = {{"x", full({4, 5}, 1.5, {.dtype = DType::kFloat32})},
                                                      {"n", arange(5)},
                                                      {"flag", full({4, 1}, true)},
                                                      {"empty", zeros({0, 5})},
                                                      {"s", full({}, 3, {.dtype = DType::kInt8})}};
  try {
    evaluate(text, kNames);
    return true;
  } catch (const UsageError& error) {
    const std::string message = error.what();
    EXPECT_EQ(message.rfind("expression:", 0), 0U) << round << ": " << text << "\n" << message;
    EXPECT_NE(message.find('^'), std::string::npos) << round << ": " << text << "\n" << message;
  }
  return false;
}

TEST(Soup, of_expressions_comes_to_arrays_or_placed_errors) {
  Soup soup(17);
  int arrays = 0;
  for (int round = 0; round < 20'000; ++round)
    arrays += comes_to_an_array(soup.expression(3), "seed 17, round " + std::to_string(round)) ? 1 : 0;
  // The soup is worth its name only when much of it is accepted and much is not.
  EXPECT_GT(arrays, 1000);
  EXPECT_LT(arrays, 19'000);
}

TEST(Soup, of_damaged_expressions_comes_to_arrays_or_placed_errors) {
  Soup soup(18);
  for (int round = 0; round < 20'000; ++round)
    comes_to_an_array(soup.damaged(soup.expression(2)), "seed 18, round " + std::to_string(round));
}

TEST(Soup, of_damaged_workload_files_comes_to_errors_of_ours) {
  const auto folder = fs::temp_directory_path() / ("brim-soup-" + std::to_string(getpid()));
  fs::create_directories(folder);
  const auto file = (folder / "job.toml").string();
  const std::string whole = R"toml([compute]
a = "linspace(0, 1, 60, chunks=(7,))"
b = """
a * 2   # twice
  + where(a > 0.5, 1, nan)"""
w = "synthetic(tasks=3, memory='1MB', cpu='1ms')"
[outputs]
b = { to = "out.h5:/g/b", chunks = [5], dtype = "float32", compression = "deflate", level = 7 }
a = "out.h5:/g/a"
[run]
memory = "2GiB"
workers = 3
scratch = "."
)toml";
  Soup soup(19);
  for (int round = 0; round < 3000; ++round) {
    const auto text = round == 0 ? whole : soup.damaged(whole);
    std::ofstream(file, std::ios::binary) << text;
    try {
      load_workload(file);
    } catch (const Error& error) {
      EXPECT_NE(round, 0) << error.what();
      EXPECT_NE(std::string(error.what()).find(file), std::string::npos)
          << "seed 19, round " << round << ": " << error.what();
    }
  }
  fs::remove_all(folder);
}

}  // namespace
}  // namespace brim
