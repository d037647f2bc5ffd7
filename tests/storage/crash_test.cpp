// Workers killed in the middle of writing, full disks, files that may not grow: an error or a redo, never a wrong file.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "storage/storage_errors.h"
#include "storage/write_output.h"

namespace brim::storage {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string content(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// Runs the work in a process of its own, again and again, and kills it after that long.
template <typename Work>
void run_and_kill(Work work, std::int64_t microseconds) {
  const auto child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    for (;;) work();
  }
  usleep(static_cast<useconds_t>(microseconds));
  kill(child, SIGKILL);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status)) << "the process ended before it was killed";
}

class CrashTest : public ::testing::TestWithParam<int> {
 protected:
  OutputDataset dataset(const std::string& name) const {
    return output_dataset(directory_ / name, "/g/x", DType::kFloat32, {300, 200}, {7, 50}, GetParam());
  }
  TemporaryDirectory directory_;
};

TEST_P(CrashTest, AWriterKilledAnywhereAndDoneAgainGivesTheSameFile) {
  const auto values = random_values(DType::kFloat32, {300, 200}, 3);
  const auto wrong = random_values(DType::kFloat32, {300, 200}, 4);
  write_output(dataset("whole.h5"), values);
  const auto wanted = content(directory_ / "whole.h5");
  std::mt19937 random(17);
  for (int round = 0; round < 10; ++round) {
    OutputFiles files({dataset("killed.h5")});
    // What the dead worker wrote differs from what its successor writes, so that a region left over would be seen.
    run_and_kill([&] { write_regions(files.targets()[0], wrong, random); }, 200 * (1 + random() % 20));
    write_regions(files.targets()[0], values, random);
    assemble_all(files);
    files.commit();
    ASSERT_EQ(content(directory_ / "killed.h5"), wanted) << "round " << round;
    std::filesystem::remove(directory_ / "killed.h5");
  }
}

TEST_P(CrashTest, AnAssemblyKilledAnywhereAndDoneAgainGivesTheSameFile) {
  const auto values = random_values(DType::kFloat32, {300, 200}, 3);
  write_output(dataset("whole.h5"), values);
  const auto wanted = content(directory_ / "whole.h5");
  std::mt19937 random(18);
  OutputFiles files({dataset("killed.h5")});
  write_regions(files.targets()[0], values, random);
  for (int round = 0; round < 10; ++round) run_and_kill([&] { assemble_all(files); }, 200 * (1 + random() % 20));
  assemble_all(files);
  files.commit();
  EXPECT_EQ(content(directory_ / "killed.h5"), wanted);
}

INSTANTIATE_TEST_SUITE_P(InPlaceAndStaged, CrashTest, ::testing::Values(0, 2));

/// A file system of 2 MiB, where the system lets us have one.
class SmallDisk {
 public:
  explicit SmallDisk(std::string place) : place_(std::move(place)) {
    std::filesystem::create_directory(place_);
    mounted_ = mount("tmpfs", place_.c_str(), "tmpfs", 0, "size=2m") == 0;
  }
  ~SmallDisk() {
    if (mounted_) umount2(place_.c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  bool mounted() const { return mounted_; }
  bool empty() const { return std::filesystem::is_empty(place_); }

 private:
  std::string place_;
  bool mounted_ = false;
};

/// Values that do not compress.
std::vector<std::byte> noise(std::size_t bytes) {
  std::mt19937 random(1);
  std::vector<std::byte> values(bytes);
  for (auto& byte : values) byte = static_cast<std::byte>(random());
  return values;
}

TEST(FullDisk, IsFoundBeforeTheRunWhenPlacesAreKnownAhead) {
  const TemporaryDirectory directory;
  const SmallDisk disk(directory / "small");
  if (!disk.mounted()) GTEST_SKIP() << "no right to mount a small file system";
  const auto output = output_dataset(directory / "small/out.h5", "/x", DType::kFloat64, {1 << 20}, {1 << 10});
  EXPECT_THAT(storage_error_of([&] { OutputFiles files({output}); }),
              AllOf(HasSubstr("small/out.h5 needs 8 MiB, its disk has 2"), HasSubstr(" MiB free")));
  EXPECT_TRUE(disk.empty());
}

TEST(FullDisk, IsAnErrorOfTheWriteThatFindsIt) {
  const TemporaryDirectory directory;
  const SmallDisk disk(directory / "small");
  if (!disk.mounted()) GTEST_SKIP() << "no right to mount a small file system";
  const auto output = output_dataset(directory / "small/out.h5", "/x", DType::kFloat64, {1 << 20}, {1 << 14}, 1);
  const auto values = noise(8 << 20);
  std::mt19937 random(1);
  {
    OutputFiles files({output});
    EXPECT_THAT(storage_error_of([&] { write_regions(files.targets()[0], values, random); }),
                AllOf(HasSubstr("KiB at byte"), HasSubstr("the staging file of"), HasSubstr("small/out.h5"),
                      HasSubstr("disk is full")));
  }
  EXPECT_TRUE(disk.empty());
}

TEST(FullDisk, IsAnErrorOfTheAssemblyThatFindsIt) {
  const TemporaryDirectory directory;
  const SmallDisk disk(directory / "small");
  if (!disk.mounted()) GTEST_SKIP() << "no right to mount a small file system";
  const auto output = output_dataset(directory / "small/out.h5", "/x", DType::kFloat64, {170000}, {1 << 14}, 1);
  std::mt19937 random(1);
  OutputFiles files({output});
  write_regions(files.targets()[0], noise(170000 * 8), random);
  EXPECT_THAT(storage_error_of([&] { assemble_all(files); }),
              AllOf(HasSubstr("small/out.h5:/x"), HasSubstr("No space left")));
}

/// Files may not grow beyond that many bytes while it lives.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const struct rlimit limit { bytes, before_.rlim_max };
    setrlimit(RLIMIT_FSIZE, &limit);
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  struct rlimit before_ {};
  void (*handler_)(int) = nullptr;
};

TEST(FileSizeLimit, IsFoundBeforeTheRunWhenPlacesAreKnownAhead) {
  const TemporaryDirectory directory;
  const FileSizeLimit limit(1 << 20);
  const auto output = output_dataset(directory / "out.h5", "/x", DType::kFloat64, {1 << 20}, {1 << 10});
  EXPECT_THAT(storage_error_of([&] { OutputFiles files({output}); }),
              AllOf(HasSubstr("out.h5 needs 8"), HasSubstr("files may have 1 MiB"), HasSubstr("ulimit -f")));
  EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
}

TEST(FileSizeLimit, IsAnErrorOfTheWriteThatFindsIt) {
  const TemporaryDirectory directory;
  const FileSizeLimit limit(1 << 20);
  const auto output = output_dataset(directory / "out.h5", "/x", DType::kFloat64, {1 << 20}, {1 << 14}, 1);
  std::mt19937 random(1);
  OutputFiles files({output});
  EXPECT_THAT(storage_error_of([&] { write_regions(files.targets()[0], noise(8 << 20), random); }),
              AllOf(HasSubstr("File too large"), HasSubstr("ulimit -f")));
}

}  // namespace
}  // namespace brim::storage
