#include "brim/bytes.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <string>
#include <utility>

#include "brim/error.h"

namespace brim {
namespace {

TEST(ParseBytes, ReadsDecimalAndBinaryUnits) {
  const std::pair<const char*, std::int64_t> cases[] = {
      {"0", 0},
      {"300", 300},
      {"300 B", 300},
      {"300b", 300},
      {"1kB", 1000},
      {"1KB", 1000},
      {"1KiB", 1024},
      {"1kib", 1024},
      {"500MB", 500'000'000},
      {"512MiB", std::int64_t{512} << 20},
      {"2GB", 2'000'000'000},
      {"2GiB", std::int64_t{2} << 30},
      {"1.5 MiB", 3 << 19},
      {"  1.5GiB  ", std::int64_t{3} << 29},
      {"3TB", 3'000'000'000'000},
      {"1TiB", std::int64_t{1} << 40},
      {"1e3", 1000},
      {"0.1kB", 100},
  };
  for (const auto& [text, count] : cases) EXPECT_EQ(parse_bytes(text).count(), count) << text;
}

TEST(ParseBytes, RefusesEverythingElse) {
  for (const char* text : {"",
                           " ",
                           "B",
                           "MiB",
                           "-1",
                           "-2GB",
                           "1.5",
                           "1.5 B",
                           "2 GiBs",
                           "2GiB 3",
                           "2 G",
                           "2Gb!",
                           "0x10",
                           "nan",
                           "inf",
                           "1e999",
                           "9223372036854775808",
                           "8388608TiB",
                           "1 K B",
                           "two GB",
                           "2,5GB",
                           "+1GB"})
    EXPECT_THROW(parse_bytes(text), UsageError) << "'" << text << "'";
}

TEST(ParseBytes, NamesTheTextAndShowsHowItIsDone) {
  try {
    parse_bytes("2 gigs");
    FAIL() << "accepted";
  } catch (const UsageError& error) {
    EXPECT_NE(error.record().what.find("2 gigs"), std::string::npos);
    EXPECT_NE(error.record().hint.find("512MiB"), std::string::npos);
  }
}

TEST(ParseBytes, RoundsFractionsOfAUnitToTheNearestByte) {
  EXPECT_EQ(parse_bytes("1.1MB").count(), 1'100'000);
  EXPECT_EQ(parse_bytes("0.3 KiB").count(), 307);
}

TEST(ByteNames, AreShortAndExactWhereTheyCanBe) {
  const std::pair<std::int64_t, const char*> cases[] = {
      {0, "0 B"},
      {1, "1 B"},
      {512, "512 B"},
      {1023, "1023 B"},
      {1024, "1 KiB"},
      {1536, "1.50 KiB"},
      {10 * 1024 + 512, "10.5 KiB"},
      {1 << 20, "1 MiB"},
      {std::int64_t{512} << 20, "512 MiB"},
      {std::int64_t{2} << 30, "2 GiB"},
      {std::int64_t{1} << 40, "1 TiB"},
      {-2048, "-2 KiB"},
  };
  for (const auto& [count, text] : cases) EXPECT_EQ(to_string(Bytes(count)), text);
}

TEST(ByteNames, StayWithinSevenCharactersOfNumber) {
  for (std::int64_t count = 1; count < std::numeric_limits<std::int64_t>::max() / 3; count = count * 3 + 1) {
    const auto text = to_string(Bytes(count));
    EXPECT_LE(text.find(' '), 7U) << text;
    // PiB is the largest unit.
    if (count < std::int64_t{1} << 60) {
      EXPECT_LT(std::stod(text), 1024.0) << text;
    }
  }
}

TEST(ByteNames, ReadBackAsNearlyTheSameAmount) {
  for (std::int64_t count = 1; count < std::int64_t{1} << 49; count = count * 2 + count / 3 + 1) {
    const auto again = parse_bytes(to_string(Bytes(count))).count();
    EXPECT_NEAR(static_cast<double>(again), static_cast<double>(count), 0.006 * static_cast<double>(count)) << count;
  }
}

TEST(Bytes, AddSubtractScaleAndCompareAsNumbers) {
  EXPECT_EQ(kibibytes(2) + Bytes(5), Bytes(2053));
  EXPECT_EQ(mebibytes(1) - kibibytes(1024), Bytes(0));
  EXPECT_EQ(gibibytes(3) / mebibytes(700), 4);
  EXPECT_EQ(Bytes(3) * 4, Bytes(12));
  EXPECT_LT(Bytes(1), Bytes(2));
  Bytes amount(10);
  amount += Bytes(5);
  amount -= Bytes(20);
  EXPECT_EQ(amount.count(), -5);
}

}  // namespace
}  // namespace brim
