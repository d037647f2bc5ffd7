#include "runtime/own_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "brim/brim.h"

namespace brim::runtime {
namespace {

namespace fs = std::filesystem;

class OwnFileTest : public testing::Test {
 protected:
  OwnFileTest() : path_((fs::temp_directory_path() / ("brim-own-file-" + std::to_string(getpid()))).string()) {}
  ~OwnFileTest() override { fs::remove(path_); }

  void write(const std::string& text) const { std::ofstream(path_, std::ios::binary) << text; }
  std::string text() const {
    std::ifstream stream(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  std::string path_;
};

TEST_F(OwnFileTest, may_be_missing_empty_or_like_what_is_written) {
  EXPECT_NO_THROW(require_own_file(path_, "{\"a\"", "thing"));
  write("");
  EXPECT_NO_THROW(require_own_file(path_, "{\"a\"", "thing"));
  write("{\"a\": 1}");
  EXPECT_NO_THROW(require_own_file(path_, "{\"a\"", "thing"));
  EXPECT_NO_THROW(require_own_file("/dev/null", "{\"a\"", "thing"));
}

TEST_F(OwnFileTest, of_somebody_else_is_left_alone_whatever_is_to_be_written) {
  for (const std::string foreign : {"\x89HDF\r\n\x1a\n and data", "{", "[inputs]\n"}) {
    write(foreign);
    EXPECT_THROW(history_file(path_), StorageError);
    EXPECT_THROW(trace_file(path_), StorageError);
    EXPECT_THROW(write_report_page("/nowhere", path_), StorageError);
    EXPECT_EQ(text(), foreign);
  }
}

TEST_F(OwnFileTest, of_an_earlier_run_is_written_anew) {
  Machine machine;
  machine.budget = gibibytes(1);
  const auto made = plan(std::vector{discard(synthetic({.tasks = 2}))}, machine);
  for (int round = 0; round < 2; ++round) {
    const auto history = history_file(path_);
    history->on_start(made);
    history->on_finish(Report{});
  }
  const auto lines = text();
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 2);
  write("");
  for (int round = 0; round < 2; ++round) EXPECT_NO_THROW(trace_file(path_));
}

}  // namespace
}  // namespace brim::runtime
