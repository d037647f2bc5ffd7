#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "array/graph.h"
#include "brim/error.h"
#include "oracle/numpy_oracle.h"

// Ranges at the edges of their dtypes: lengths are exact, and values that a dtype cannot hold are refused, not wrapped.
namespace brim {
namespace {

constexpr auto kLargest = std::numeric_limits<std::int64_t>::max();
constexpr auto kSmallest = std::numeric_limits<std::int64_t>::min();

TEST(ArangeOfWholeNumbers, has_as_many_values_as_pythons_range) {
  std::mt19937_64 random(11);
  const auto pick = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  };
  std::string asked;
  std::vector<Array> found;
  for (int round = 0; round < 1000; ++round) {
    const std::int64_t around = round % 2 == 0 ? 0 : pick(-(std::int64_t{1} << 60), std::int64_t{1} << 60);
    const auto start = around + pick(-50, 50);
    const auto stop = around + pick(-50, 50);
    const auto step = pick(1, 9) * (pick(0, 1) == 0 ? 1 : -1);
    asked += "len(range(" + std::to_string(start) + "," + std::to_string(stop) + "," + std::to_string(step) + ")),";
    found.push_back(arange(start, stop, step));
  }
  const auto expected = oracle::evaluate("np.array([" + asked + "], dtype='int64')");
  for (std::size_t round = 0; round < found.size(); ++round)
    EXPECT_EQ(found[round].size(), expected.as<std::int64_t>()[round]) << "seed 11, round " << round;
}

TEST(ArangeOfWholeNumbers, counts_to_the_last_one) {
  constexpr std::int64_t kPastFloat64 = (std::int64_t{1} << 53) + 1;
  EXPECT_EQ(arange(kPastFloat64).size(), kPastFloat64);
  EXPECT_EQ(arange(kLargest - 3, kLargest).size(), 3);
  EXPECT_EQ(arange(kSmallest, kLargest, kLargest).size(), 3);
  EXPECT_EQ(arange(kLargest, kSmallest, kSmallest).size(), 2);
  EXPECT_EQ(arange(kSmallest, kLargest, std::int64_t{1} << 60).size(), 16);
  EXPECT_THROW(arange(kSmallest, kLargest), UsageError);
  EXPECT_THROW(arange(std::uint64_t{1} << 63), UsageError);
}

TEST(Arange, whose_values_do_not_fit_its_dtype_is_refused) {
  EXPECT_EQ(arange(128, {}, 1, {.dtype = DType::kInt8}).size(), 128);
  EXPECT_THROW(arange(129, {}, 1, {.dtype = DType::kInt8}), UsageError);
  EXPECT_THROW(arange(-1, 3, 1, {.dtype = DType::kUInt16}), UsageError);
  EXPECT_THROW(arange(3, -2, -1, {.dtype = DType::kUInt64}), UsageError);
  EXPECT_EQ(arange(3, -1, -1, {.dtype = DType::kUInt64}).size(), 4);
  // The end itself is no value, however large.
  EXPECT_EQ(arange(250, 1000, 900, {.dtype = DType::kUInt8}).size(), 1);
  EXPECT_EQ(arange(1000, 0, 1, {.dtype = DType::kUInt8}).size(), 0);
}

TEST(Arange, of_fractions_does_not_become_whole) {
  EXPECT_THROW(arange(0, 5, 0.5, {.dtype = DType::kInt64}), UsageError);
  EXPECT_THROW(arange(0.5, 5, 1, {.dtype = DType::kInt32}), UsageError);
  EXPECT_EQ(arange(0, 4.5, 1, {.dtype = DType::kInt32}).size(), 5);
  EXPECT_EQ(arange(0.0, 3.0, 1.0, {.dtype = DType::kInt32}).dtype(), DType::kInt32);
}

TEST(Arange, has_finite_bounds) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_THROW(arange(inf), UsageError);
  EXPECT_THROW(arange(-inf), UsageError);
  EXPECT_THROW(arange(0, std::numeric_limits<double>::quiet_NaN()), UsageError);
  EXPECT_THROW(arange(0, 1, inf), UsageError);
  EXPECT_THROW(arange(ones({2})), UsageError);
}

}  // namespace
}  // namespace brim
