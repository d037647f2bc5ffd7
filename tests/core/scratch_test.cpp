#include "core/scratch.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace brim {
namespace {

class ScratchTest : public testing::Test {
 protected:
  static constexpr std::int64_t kCapacity = 1024;
  alignas(Scratch::kAlignment) std::byte memory_[kCapacity];
  Scratch scratch_{std::span<std::byte>(memory_)};

  std::int64_t offset(std::span<std::byte> piece) const { return piece.data() - memory_; }
};

TEST_F(ScratchTest, HandsOutAlignedPiecesThatDoNotMeet) {
  std::int64_t free_from = 0;
  for (const std::int64_t count : {1, 64, 65, 100, 3}) {
    const auto piece = scratch_.take(count);
    EXPECT_EQ(static_cast<std::int64_t>(piece.size()), count);
    EXPECT_EQ(offset(piece) % Scratch::kAlignment, 0);
    EXPECT_GE(offset(piece), free_from);
    free_from = offset(piece) + count;
  }
}

TEST_F(ScratchTest, ChargesWhatCostSays) {
  EXPECT_EQ(Scratch::cost(0), 0);
  EXPECT_EQ(Scratch::cost(1), 64);
  EXPECT_EQ(Scratch::cost(64), 64);
  EXPECT_EQ(Scratch::cost(65), 128);
  scratch_.take(1);
  scratch_.take(65);
  EXPECT_EQ(scratch_.peak().count(), Scratch::cost(1) + Scratch::cost(65));
}

TEST_F(ScratchTest, GivesUpToItsLastByteAndNotOneMore) {
  EXPECT_EQ(scratch_.capacity().count(), kCapacity);
  EXPECT_NO_THROW(scratch_.take(kCapacity));
  EXPECT_NO_THROW(scratch_.take(0));
  EXPECT_THROW(scratch_.take(1), MemoryExceeded);
}

TEST_F(ScratchTest, TellsWhatWasWantedAndWhatWasGranted) {
  scratch_.take(512);
  try {
    scratch_.take(1024);
    FAIL() << "handed out";
  } catch (const MemoryError& error) {
    EXPECT_NE(error.record().what.find("1.50 KiB"), std::string::npos) << error.what();
    EXPECT_NE(error.record().what.find("1 KiB"), std::string::npos) << error.what();
  }
}

TEST_F(ScratchTest, IsUnchangedByARefusedPiece) {
  scratch_.take(512);
  EXPECT_THROW(scratch_.take(513), MemoryExceeded);
  EXPECT_EQ(scratch_.peak().count(), 512);
  EXPECT_NO_THROW(scratch_.take(512));
}

TEST_F(ScratchTest, TakesAFrameBackAtItsEnd) {
  scratch_.take(64);
  std::int64_t inner = 0;
  {
    const Scratch::Frame frame(scratch_);
    inner = offset(scratch_.take(256));
    {
      const Scratch::Frame nested(scratch_);
      scratch_.take(128);
    }
    EXPECT_EQ(offset(scratch_.take(64)), inner + 256);
  }
  EXPECT_EQ(offset(scratch_.take(64)), inner);
  EXPECT_EQ(scratch_.peak().count(), 64 + 256 + 128);
}

TEST_F(ScratchTest, TakesAFrameBackWhenAnExceptionLeavesIt) {
  try {
    const Scratch::Frame frame(scratch_);
    scratch_.take(1000);
    scratch_.take(1000);
  } catch (const MemoryExceeded&) {
  }
  EXPECT_EQ(offset(scratch_.take(1)), 0);
}

TEST_F(ScratchTest, CountsArraysInElements) {
  const auto numbers = scratch_.take_array<double>(10);
  EXPECT_EQ(numbers.size(), 10U);
  EXPECT_EQ(scratch_.peak().count(), Scratch::cost(80));
}

TEST_F(ScratchTest, RefusesAmountsThatOverflow) {
  EXPECT_THROW(scratch_.take(std::int64_t{1} << 62), MemoryExceeded);
  scratch_.take(512);
  EXPECT_THROW(scratch_.take((std::int64_t{1} << 62) - 1), MemoryExceeded);
}

TEST(EmptyScratch, GivesNothingButEmptyPieces) {
  Scratch scratch{{}};
  EXPECT_EQ(scratch.take(0).size(), 0U);
  EXPECT_THROW(scratch.take(1), MemoryExceeded);
}

}  // namespace
}  // namespace brim
