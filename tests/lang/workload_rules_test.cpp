#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "array/graph.h"
#include "brim/error.h"
#include "brim/workload.h"
#include "storage/output.h"

// What a workload file may say, and how it is told when it says something else.
namespace brim {
namespace {

namespace fs = std::filesystem;

class WorkloadFile : public testing::Test {
 protected:
  WorkloadFile() : folder_(fs::temp_directory_path() / ("brim-workload-" + std::to_string(getpid()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    storage::OutputDataset dataset;
    dataset.address = {(folder_ / "in.h5").string(), "/x"};
    dataset.grid = ChunkGrid({4, 6}, {2, 6});
    storage::OutputFiles({dataset}).commit();
  }
  ~WorkloadFile() override { fs::remove_all(folder_); }

  Workload load(const std::string& text) const {
    std::ofstream(folder_ / "job.toml") << text;
    return load_workload((folder_ / "job.toml").string());
  }

  /// The message for a text that must be refused at that line.
  void expect_refused(const std::string& text, int line, const std::string& says) const {
    try {
      load(text);
      ADD_FAILURE() << "accepted: " << text;
    } catch (const Error& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find("job.toml:" + std::to_string(line) + ":"), std::string::npos) << message;
      EXPECT_NE(message.find(says), std::string::npos) << message;
    }
  }

  fs::path folder_;
};

constexpr const char* kInput = "[inputs]\nx = 'in.h5:/x'\n";

TEST_F(WorkloadFile, that_is_right_gives_outputs_and_settings) {
  const auto workload = load(std::string(kInput) + R"([compute]
b = "a * 2"          # before a: the order does not matter
a = """
x + 1   # in several
  + 2   # lines"""
[outputs]
b = { to = "sub/../out.h5:/g/b", chunks = [2, 3], dtype = "float32", compression = "deflate", level = 7 }
[run]
memory = "2GiB"
workers = "unlimited"
scratch = "."
)");
  ASSERT_EQ(workload.outputs.size(), 1U);
  const auto& output = workload.outputs.front();
  EXPECT_EQ(output.address->file, (folder_ / "sub/../out.h5").string());
  EXPECT_EQ(output.address->path, "/g/b");
  EXPECT_EQ(output.options.chunks, (Shape{2, 3}));
  EXPECT_EQ(output.options.dtype, DType::kFloat32);
  EXPECT_EQ(output.options.deflate, 7);
  EXPECT_EQ(output.array.node()->name, "b");
  EXPECT_EQ(workload.run.memory, gibibytes(2));
  EXPECT_EQ(workload.run.workers, 0);
  EXPECT_EQ(workload.run.scratch, (folder_ / ".").string());
}

TEST_F(WorkloadFile, of_synthetic_work_needs_no_outputs) {
  const auto workload =
      load("[compute]\na = \"synthetic(tasks=3, memory='1MB')\"\nb = \"synthetic(tasks=3, memory='1MB', after=a)\"\n");
  ASSERT_EQ(workload.outputs.size(), 1U);
  EXPECT_FALSE(workload.outputs.front().address.has_value());
}

TEST_F(WorkloadFile, with_a_mistake_is_refused_at_its_line) {
  const std::string input = kInput;
  const std::string whole = input + "[compute]\ny = 'x + 1'\n[outputs]\ny = 'out.h5:/y'\n";
  expect_refused("[inptus]\nx = 'in.h5:/x'\n", 1, "did you mean 'inputs'?");
  expect_refused(input + "[compute]\ny = 'x + \n", 4, "string");
  expect_refused(input + "[compute]\ny = 'xx + 1'\n[outputs]\ny = 'out.h5:/y'\n", 4, "did you mean 'x'?");
  expect_refused(input + "[compute]\ny = 3\n", 4, "must be a string");
  expect_refused(input + "[compute]\ny = 'z'\nz = 'y + x'\n[outputs]\ny = 'out.h5:/y'\n", 5, "computed from itself");
  expect_refused(input + "[compute]\nx = '3'\n", 4, "is an input already");
  expect_refused(input + "[compute]\n'2y' = 'x'\n", 4, "cannot be a name");
  expect_refused(whole + "[inputs2]\n", 7, "unknown key");
  expect_refused(input + "u = 'in.h5:/x'\n[outputs]\nx = 'out.h5:/y'\n", 3, "is not used");
  expect_refused(input + "[compute]\ny = 'x + 1'\nz = 'x + 2'\n[outputs]\ny = 'out.h5:/y'\n", 5,
                 "computed but not used");
  expect_refused(whole + "z = 'out.h5:/z'\n", 7, "neither computed nor an input");
  expect_refused(input + "[compute]\ny = 'x + 1'\n[outputs]\ny = 'in.h5:/x'\n", 6, "overwrite the input");
  expect_refused(input + "[compute]\ny = 'x + 1'\n[outputs]\ny = './in.h5:/x'\n", 6, "overwrite the input");
  expect_refused(whole + "x = 'out.h5:/y'\n", 6, "same data set");
  expect_refused(input + "[outputs]\nx = 'out.h5'\n", 4, "FILE");
  expect_refused(input + "[outputs]\nx = { to = 'o.h5:/y', level = 3 }\n", 4, "level without compression");
  expect_refused(input + "[outputs]\nx = { to = 'o.h5:/y', compression = 'zip' }\n", 4, "unknown compression");
  expect_refused(input + "[outputs]\nx = { to = 'o.h5:/y', chunks = [2] }\n", 4, "one extent per axis");
  expect_refused(input + "[outputs]\nx = { to = 'o.h5:/y', chunks = [0, 2] }\n", 4, "1 or more");
  expect_refused(input + "[outputs]\nx = { to = 'o.h5:/y', dtype = 'flot32' }\n", 4, "did you mean 'float32'?");
  expect_refused(input + "[outputs]\nx = { chunks = [2, 2] }\n", 4, "does not say where to");
  expect_refused(input + "[outputs]\nx = { to = 'o.h5:/y', chunk = [2, 2] }\n", 4, "did you mean 'chunks'?");
  expect_refused("[inputs]\nx = { chunks = [2, 2] }\n", 2, "no source");
  expect_refused("[inputs]\nx = { source = 'in.h5:/x', decode = 'no' }\n", 2, "true or false");
  expect_refused("[inputs]\nx = 'in.h5:/z'\n", 2, "holds no");
  expect_refused(whole + "[run]\nmemory = '3 apples'\n", 8, "not an amount");
  expect_refused(whole + "[run]\nmemory = '1GB'\ntask_memory = '1GB'\n", 9, "exclude each other");
  expect_refused(whole + "[run]\nworkers = 'many'\n", 8, "unlimited");
  expect_refused(whole + "[run]\nworkers = 0\n", 8, "1 or more");
  expect_refused(whole + "[run]\nscratch = 'nowhere'\n", 8, "not a folder");
  expect_refused(whole + "[run]\nworker = 2\n", 8, "did you mean 'workers'?");
  expect_refused(input + "[compute]\ny = \"\"\"\nx +\n  xx\"\"\"\n[outputs]\ny = 'o.h5:/y'\n", 6, "did you mean 'x'?");
  expect_refused("x = = 3\n", 1, "TOML");
  expect_refused("inputs = 3\n", 1, "must be a table");
}

TEST_F(WorkloadFile, with_nothing_to_do_is_refused) {
  EXPECT_THROW(load(""), Error);
  EXPECT_THROW(load("[compute]\n"), Error);
  EXPECT_THROW(load_workload((folder_ / "none.toml").string()), StorageError);
  EXPECT_THROW(load_workload(folder_.string()), StorageError);
}

TEST_F(WorkloadFile, may_reach_its_input_by_a_link_but_not_overwrite_it) {
  fs::create_symlink(folder_ / "in.h5", folder_ / "link.h5");
  expect_refused("[inputs]\nx = 'link.h5:/x'\n[compute]\ny = 'x'\n[outputs]\ny = 'in.h5:/x'\n", 6,
                 "overwrite the input");
}

}  // namespace
}  // namespace brim
