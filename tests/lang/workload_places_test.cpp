#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "brim/error.h"
#include "brim/workload.h"
#include "storage/output.h"

// Where the errors of a workload file point: line, column and what is underlined; and which data sets may not meet.
namespace brim {
namespace {

namespace fs = std::filesystem;

class WorkloadPlaces : public testing::Test {
 protected:
  WorkloadPlaces() : folder_(fs::temp_directory_path() / ("brim-workload-places-" + std::to_string(getpid()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    storage::OutputDataset dataset;
    dataset.address = {(folder_ / "in.h5").string(), "/g/x"};
    dataset.grid = ChunkGrid({4, 6}, {2, 6});
    storage::OutputFiles({dataset}).commit();
  }
  ~WorkloadPlaces() override { fs::remove_all(folder_); }

  std::string file() const { return (folder_ / "job.toml").string(); }

  /// The message of the error that this text gives; empty when it gives none.
  std::string message_of(const std::string& text) const {
    std::ofstream(file(), std::ios::binary) << text;
    try {
      load_workload(file());
      return {};
    } catch (const Error& error) {
      return error.what();
    }
  }

  /// The error must stand at line:column, say `says` and underline `underlined`.
  void expect_place(const std::string& text, const std::string& place, const std::string& says,
                    const std::string& underlined) const {
    const auto message = message_of(text);
    EXPECT_EQ(message.rfind(file() + ":" + place + ": ", 0), 0U) << message;
    EXPECT_NE(message.find(says), std::string::npos) << message;
    EXPECT_EQ(underlined_in(message), underlined) << message;
  }

  /// What stands above the carets; a letter of several bytes counts once.
  static std::string underlined_in(std::string message) {
    std::erase_if(message, [](char byte) { return (static_cast<unsigned char>(byte) & 0xc0U) == 0x80U; });
    const auto caret = message.find('^');
    if (caret == std::string::npos) return {};
    const auto row = message.rfind('\n', caret) + 1;
    const auto above = message.rfind('\n', row - 2) + 1;
    const auto count = message.find_first_not_of('^', caret);
    return message.substr(above + caret - row, (count == std::string::npos ? message.size() : count) - caret);
  }

  fs::path folder_;
};

const std::string kInput = "[inputs]\nx = 'in.h5:/g/x'\n";
const std::string kOutput = "[outputs]\ny = 'out.h5:/y'\n";

TEST_F(WorkloadPlaces, of_names_that_are_wrong_are_the_names) {
  expect_place("[inptus]\nx = 'in.h5:/g/x'\n", "1:2", "unknown key 'inptus'", "inptus");
  expect_place(kInput + "  2y = 'x'\n" + kOutput, "3:3", "cannot be a name", "2y");
  expect_place(kInput + "[compute]\nx = 'x + 1'\n" + kOutput, "4:1", "is an input already", "x");
  expect_place(kInput + "unused = 'in.h5:/g/x'\n[outputs]\nx = 'o.h5:/x'\n", "3:1", "is not used", "unused");
  expect_place(kInput + "[outputs]\n  xx = 'o.h5:/x'\n", "4:3", "did you mean 'x'?", "xx");
  expect_place(kInput + "[outputs]\nx = { to = 'o.h5:/x', chunk = [2, 2] }\n", "4:23", "did you mean 'chunks'?",
               "chunk");
}

TEST_F(WorkloadPlaces, of_values_that_are_wrong_are_the_values) {
  expect_place(kInput + "[compute]\ny = 3.5\n" + kOutput, "4:5", "must be a string", "3.5");
  expect_place(kInput + "[outputs]\nx = { to = 'o.h5:/x', chunks = [2, 0] }\n", "4:36", "1 or more", "0");
  expect_place(kInput + "[outputs]\nx = 'o.h5:/x'\n[run]\nworkers = -1\n", "6:11", "1 or more", "-1");
  expect_place(kInput + "[outputs]\nx = 'o.h5:/x'\n[run]\nscratch = ''\n", "6:11", "names no folder", "''");
  expect_place(kInput + "[outputs]\nx = 'o.h5:/x'\n[run]\nscratch = 'in.h5'\n", "6:11", "not a folder", "'in.h5'");
}

TEST_F(WorkloadPlaces, of_expressions_point_into_strings_of_every_kind) {
  expect_place(kInput + "[compute]\ny = 'x + xx'\n" + kOutput, "4:10", "did you mean 'x'?", "xx");
  expect_place(kInput + "[compute]\ny = \"x + xx\"\n" + kOutput, "4:10", "did you mean 'x'?", "xx");
  expect_place(kInput + "[compute]\ny = '''x + xx'''\n" + kOutput, "4:12", "did you mean 'x'?", "xx");
  expect_place(kInput + "[compute]\ny = '''\n x +\n   xx'''\n" + kOutput, "6:4", "did you mean 'x'?", "xx");
  expect_place(kInput + "[compute]\ny = \"\"\"\r\n x +\r\n   xx\"\"\"\n" + kOutput, "6:4", "did you mean 'x'?", "xx");
  expect_place(kInput + "[compute]\ny = '''x # with words\n + xx'''\n" + kOutput, "5:4", "did you mean 'x'?", "xx");
}

TEST_F(WorkloadPlaces, count_letters_not_bytes) {
  expect_place(kInput + "[outputs]\nx = { to = '\xc3\xa9\xc3\xa9.h5:/x', leve = 3 }\n", "4:24", "unknown key 'leve'",
               "leve");
}

TEST_F(WorkloadPlaces, of_words_of_the_language_are_no_names) {
  for (const std::string word : {"and", "not", "true", "None", "newaxis"})
    expect_place(kInput + "[compute]\n" + word + " = 'x'\n" + kOutput, "4:1", "is a word of the language", word);
  EXPECT_EQ(message_of(kInput + "[compute]\ne = 'x + 1'\nexp = 'e'\n[outputs]\nexp = 'o.h5:/y'\n"), "");
}

TEST_F(WorkloadPlaces, of_outputs_do_not_lie_inside_one_another) {
  const auto both = [](const std::string& a, const std::string& b) {
    return kInput + "[compute]\ny = 'x'\nz = 'x'\n[outputs]\ny = '" + a + "'\nz = '" + b + "'\n";
  };
  EXPECT_EQ(message_of(both("o.h5:/a", "o.h5:/ab")), "");
  EXPECT_EQ(message_of(both("o.h5:/a", "p.h5:/a/b")), "");
  EXPECT_NE(message_of(both("o.h5:/a", "o.h5:/a/b")).find("inside the other"), std::string::npos);
  EXPECT_NE(message_of(both("o.h5:/a/b", "./o.h5://a")).find("inside the other"), std::string::npos);
  EXPECT_NE(message_of(both("o.h5:/a", "d/../o.h5:/a/")).find("same data set"), std::string::npos);
}

TEST_F(WorkloadPlaces, of_outputs_and_inputs_do_not_meet_under_any_name) {
  fs::create_hard_link(folder_ / "in.h5", folder_ / "twin.h5");
  fs::create_directory(folder_ / "d");
  fs::create_symlink(folder_, folder_ / "d" / "up");
  const auto to = [](const std::string& address) {
    return kInput + "[compute]\ny = 'x + 1'\n[outputs]\ny = '" + address + "'\n";
  };
  for (const auto* address : {"in.h5:/g/x", "twin.h5:/g/x", "d/up/in.h5:/g/x", "in.h5:/g", "in.h5:/g/x/y"})
    EXPECT_NE(message_of(to(address)).find("overwrite the input 'x'"), std::string::npos) << address;
  EXPECT_EQ(message_of(to("in.h5:/g/xy")), "");
}

TEST_F(WorkloadPlaces, of_a_file_that_is_not_there_say_why) {
  const auto missing = (folder_ / "none.toml").string();
  try {
    load_workload(missing);
    FAIL();
  } catch (const StorageError& error) {
    EXPECT_EQ(error.record().what, "cannot read the workload file " + missing + ": No such file or directory");
  }
  // An empty file can be read; there is nothing to do in it.
  EXPECT_NE(message_of("").find("no outputs"), std::string::npos) << message_of("");
}

}  // namespace
}  // namespace brim
