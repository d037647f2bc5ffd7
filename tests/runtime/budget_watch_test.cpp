#include "runtime/budget_watch.h"

#include <gtest/gtest.h>

#include "brim/machine.h"

namespace brim::runtime {
namespace {

using std::chrono::milliseconds;

constexpr BudgetWatch::Time kStart{};

/// A run of 8 GiB with 2 GiB left to others, on a machine that has 10.
class BudgetWatchTest : public testing::Test {
 protected:
  std::optional<Bytes> at(int ms, Bytes available, Bytes held, Bytes least = gibibytes(1)) {
    return watch_.decide({available, held, least}, kStart + milliseconds(ms));
  }
  BudgetWatch watch_{gibibytes(8), gibibytes(2)};
};

TEST_F(BudgetWatchTest, stays_as_it_is_while_nobody_else_takes_memory) {
  EXPECT_EQ(at(0, gibibytes(10), Bytes(0)), std::nullopt);
  EXPECT_EQ(at(250, gibibytes(6), gibibytes(4)), std::nullopt);
  EXPECT_EQ(at(500, gibibytes(2), gibibytes(8)), std::nullopt);
}

TEST_F(BudgetWatchTest, narrows_at_once_to_what_is_there) {
  const auto narrowed = at(0, gibibytes(1), gibibytes(4));
  ASSERT_TRUE(narrowed.has_value());
  EXPECT_EQ(*narrowed, gibibytes(5) - safety_share(gibibytes(5)));
  EXPECT_EQ(at(250, gibibytes(1), gibibytes(4)), std::nullopt) << "it is so already";
}

TEST_F(BudgetWatchTest, never_narrows_below_what_the_run_needs_to_go_on) {
  EXPECT_EQ(at(0, Bytes(0), gibibytes(3), gibibytes(6)), gibibytes(6));
  EXPECT_EQ(at(250, Bytes(0), gibibytes(3), gibibytes(7)), gibibytes(7)) << "and follows when that grows";
  EXPECT_EQ(at(500, Bytes(0), gibibytes(3), gibibytes(9)), gibibytes(8)) << "but not beyond the budget";
  EXPECT_EQ(at(750, Bytes(0), gibibytes(3), gibibytes(9)), std::nullopt) << "and is not told again";
}

TEST_F(BudgetWatchTest, widens_when_there_has_been_room_for_a_while) {
  ASSERT_TRUE(at(0, gibibytes(1), gibibytes(3)).has_value());
  EXPECT_EQ(at(250, gibibytes(7), gibibytes(3)), std::nullopt);
  EXPECT_EQ(at(2000, gibibytes(6), gibibytes(3)), std::nullopt);
  EXPECT_EQ(at(2250, gibibytes(7), gibibytes(3)), gibibytes(8));
  EXPECT_EQ(at(2500, gibibytes(7), gibibytes(3)), std::nullopt);
}

TEST_F(BudgetWatchTest, a_moment_without_room_starts_the_wait_again) {
  ASSERT_TRUE(at(0, gibibytes(1), gibibytes(3)).has_value());
  EXPECT_EQ(at(250, gibibytes(7), gibibytes(3)), std::nullopt);
  EXPECT_EQ(at(1500, gibibytes(1), gibibytes(3)), std::nullopt);
  EXPECT_EQ(at(2300, gibibytes(7), gibibytes(3)), std::nullopt);
  EXPECT_EQ(at(4200, gibibytes(7), gibibytes(3)), std::nullopt);
  EXPECT_EQ(at(4300, gibibytes(7), gibibytes(3)), gibibytes(8));
}

TEST(BudgetWatch, a_budget_that_left_nothing_to_others_is_not_cut_for_them) {
  BudgetWatch watch(gibibytes(10), Bytes(0));
  EXPECT_EQ(watch.decide({gibibytes(6), gibibytes(4), gibibytes(1)}, kStart), std::nullopt);
}

}  // namespace
}  // namespace brim::runtime
