#include "storage/scratch_blocks.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <numeric>
#include <vector>

#include "brim/error.h"

namespace brim::storage {
namespace {

std::vector<std::byte> counted(std::size_t size) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i * 7 + i / 251);
  return bytes;
}

class ScratchBlocksTest : public testing::Test {
 protected:
  std::string folder_ = std::filesystem::temp_directory_path().string();
  ScratchFile file_{folder_, "", mebibytes(1)};
  ScratchBlocks blocks_{file_.path()};
};

TEST_F(ScratchBlocksTest, come_back_as_they_were_written) {
  const std::vector<std::size_t> sizes = {0, 1, 4096, 100'000};
  std::int64_t place = 0;
  for (const auto size : sizes) {
    blocks_.write(place, counted(size + 1));
    blocks_.write(place, counted(size));  // as a task does that runs again
    place += ScratchBlocks::distance(static_cast<std::int64_t>(size) + 1);
  }
  place = 0;
  const ScratchBlocks other(file_.path());
  for (const auto size : sizes) {
    std::vector<std::byte> back(size);
    other.read(place, back);
    EXPECT_EQ(back, counted(size));
    place += ScratchBlocks::distance(static_cast<std::int64_t>(size) + 1);
  }
}

TEST_F(ScratchBlocksTest, that_are_not_what_was_written_are_an_error) {
  const auto bytes = counted(5000);
  blocks_.write(0, bytes);
  std::vector<std::byte> back(bytes.size());
  std::vector<std::byte> shorter(bytes.size() - 1);
  EXPECT_THROW(blocks_.read(0, shorter), StorageError);
  EXPECT_THROW(blocks_.read(ScratchBlocks::distance(5000), back), StorageError) << "never written";
  const auto file = File::open(file_.path(), File::Access::kWrite, "scratch");
  for (const std::int64_t place : {ScratchBlocks::kHeaderBytes, ScratchBlocks::kHeaderBytes + 4999}) {
    std::array<std::byte, 1> byte{};
    file.read(place, byte);
    byte[0] ^= std::byte{16};
    file.write(place, byte);
    EXPECT_THROW(blocks_.read(0, back), StorageError) << "one bit of byte " << place;
    byte[0] ^= std::byte{16};
    file.write(place, byte);
    EXPECT_NO_THROW(blocks_.read(0, back));
  }
}

TEST(ScratchFile, has_no_name_and_needs_a_folder) {
  const auto folder = std::filesystem::temp_directory_path() / ("brim-scratch-" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  {
    const ScratchFile file(folder.string(), "", mebibytes(1));
    EXPECT_TRUE(std::filesystem::is_empty(folder));
  }
  std::filesystem::remove(folder);
  EXPECT_THROW(ScratchFile(folder.string(), "", mebibytes(1)), StorageError);
}

}  // namespace
}  // namespace brim::storage
