#include "ops/slabs.h"

#include <gtest/gtest.h>

namespace brim::ops {
namespace {

TEST(Slabs, partition_the_axis_at_multiples_of_the_step) {
  for (const std::int64_t extent : {1, 2, 7, 64, 1000})
    for (const int parts : {1, 2, 3, 16})
      for (const std::int64_t step : {1, 3, 50}) {
        const Box box{{5, 11}, {9, 11 + extent}};
        const auto found = slabs(box, 1, parts, step);
        ASSERT_LE(found.size(), static_cast<std::size_t>(parts));
        auto next = box.start[1];
        for (const auto& part : found) {
          EXPECT_EQ(part.start[0], 5);
          EXPECT_EQ(part.stop[0], 9);
          EXPECT_EQ(part.start[1], next);
          EXPECT_EQ((part.start[1] - box.start[1]) % step, 0);
          EXPECT_FALSE(part.empty());
          next = part.stop[1];
        }
        EXPECT_EQ(next, box.stop[1]);
        EXPECT_EQ(found.size(), static_cast<std::size_t>(std::min<std::int64_t>(parts, (extent + step - 1) / step)));
      }
}

TEST(Slabs, of_an_axis_without_elements_are_one) {
  const Box box{{3}, {3}};
  EXPECT_EQ(slabs(box, 0, 4), std::vector{box});
}

TEST(Slabs, share_the_outermost_axis_that_is_long_enough) {
  EXPECT_EQ(axis_to_share({2, 100, 100}, 4), 1u);
  EXPECT_EQ(axis_to_share({2, 10, 20}, 4), 2u);
  EXPECT_EQ(axis_to_share({100}, 4), 0u);
  EXPECT_EQ(outermost_axis({1, 1, 3, 4}), 2u);
  EXPECT_EQ(outermost_axis({1, 1}), 2u);
}

TEST(Slabs, are_not_worth_it_for_few_elements) {
  EXPECT_EQ(worth_threads({100, 100}, 8), 1);
  EXPECT_EQ(worth_threads({1000, 100}, 8), 3);
  EXPECT_EQ(worth_threads({1000, 1000}, 8), 8);
  EXPECT_EQ(worth_threads({0, 1000}, 8), 1);
  EXPECT_EQ(worth_threads({}, 8), 1);
}

}  // namespace
}  // namespace brim::ops
