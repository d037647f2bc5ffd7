#include "schedule/resident_chunks.h"

#include <gtest/gtest.h>

#include "brim/error.h"

namespace brim::schedule {
namespace {

constexpr TaskId kA{0, 0};
constexpr TaskId kB{0, 1};

TEST(ResidentChunks, CountAsExtrasUntilTheyAreInOrder) {
  ResidentChunks chunks;
  chunks.add(kA, Bytes(4096));
  chunks.add(kB, Bytes(8192));
  EXPECT_EQ(chunks.extras(std::nullopt), Bytes(12288));
  EXPECT_EQ(chunks.extras(kA), Bytes(8192)) << "the lead's own is none";
  chunks.mark_in_order(kA);
  EXPECT_EQ(chunks.extras(kB), Bytes(0));
  chunks.mark_in_order(kA);
  EXPECT_EQ(chunks.extras(std::nullopt), Bytes(8192)) << "marking twice changes nothing";
}

TEST(ResidentChunks, LeaveTheCountsWhenTheyGo) {
  ResidentChunks chunks;
  chunks.add(kA, Bytes(4096));
  chunks.add(kB, Bytes(8192));
  chunks.mark_in_order(kB);
  EXPECT_EQ(chunks.remove(kB), Bytes(8192));
  EXPECT_EQ(chunks.extras(std::nullopt), Bytes(4096));
  EXPECT_EQ(chunks.remove(kA), Bytes(4096));
  EXPECT_EQ(chunks.extras(std::nullopt), Bytes(0));
  EXPECT_EQ(chunks.remove(kA), Bytes(0)) << "there is none any more";
}

TEST(ResidentChunks, TellWhenTheLastReaderIsDone) {
  ResidentChunks chunks;
  chunks.add(kA, Bytes(4096));
  chunks.set_dependents(kA, 2);
  EXPECT_FALSE(chunks.release(kA));
  EXPECT_TRUE(chunks.release(kA));
  EXPECT_THROW(chunks.release(kA), InternalError);
  EXPECT_FALSE(chunks.release(kB)) << "a task without a chunk";
}

TEST(ResidentChunks, OfATaskAreMadeOnce) {
  ResidentChunks chunks;
  chunks.add(kA, Bytes(4096));
  EXPECT_THROW(chunks.add(kA, Bytes(4096)), InternalError);
  chunks.add(kB, Bytes(0));
  EXPECT_FALSE(chunks.contains(kB)) << "nothing is no chunk";
}

}  // namespace
}  // namespace brim::schedule
