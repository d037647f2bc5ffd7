#include "brim/shape.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "brim/error.h"

namespace brim {
namespace {

TEST(ElementCount, IsTheProductOfTheExtents) {
  EXPECT_EQ(element_count({}), 1);
  EXPECT_EQ(element_count({7}), 7);
  EXPECT_EQ(element_count({12, 90, 180}), 194400);
  EXPECT_EQ(element_count({5, 0, 3}), 0);
  EXPECT_EQ(element_count({std::int64_t{1} << 31, std::int64_t{1} << 31}), std::int64_t{1} << 62);
}

TEST(ElementCount, OfMoreThanTwoToTheSixtyTwoIsRefused) {
  EXPECT_THROW(element_count({(std::int64_t{1} << 31) + 1, std::int64_t{1} << 31}), UsageError);
  EXPECT_THROW(element_count(Shape(16, std::int64_t{1} << 40)), UsageError);
}

TEST(ElementCount, OfAnEmptyArrayIsZeroHoweverLargeTheOtherExtentsAre) {
  EXPECT_EQ(element_count({std::int64_t{1} << 40, std::int64_t{1} << 40, 0}), 0);
}

TEST(ShapeNames, AreWrittenAsPythonWritesTuples) {
  EXPECT_EQ(to_string(Shape{}), "()");
  EXPECT_EQ(to_string(Shape{12}), "(12,)");
  EXPECT_EQ(to_string(Shape{12, 90, 180}), "(12, 90, 180)");
}

TEST(Broadcasting, GivesNumPysShapes) {
  const struct {
    Shape a, b, result;
  } cases[] = {
      {{}, {}, {}},
      {{}, {3}, {3}},
      {{1}, {3}, {3}},
      {{5, 4}, {1}, {5, 4}},
      {{5, 4}, {4}, {5, 4}},
      {{15, 3, 5}, {15, 1, 5}, {15, 3, 5}},
      {{8, 1, 6, 1}, {7, 1, 5}, {8, 7, 6, 5}},
      {{0}, {1}, {0}},
      {{0, 3}, {1, 3}, {0, 3}},
      {{3, 1}, {1, 0}, {3, 0}},
  };
  for (const auto& [a, b, result] : cases) {
    EXPECT_EQ(broadcast_shapes(a, b), result) << to_string(a) << " " << to_string(b);
    EXPECT_EQ(broadcast_shapes(b, a), result) << to_string(b) << " " << to_string(a);
  }
}

TEST(Broadcasting, RefusesWhatNumPyRefuses) {
  const std::pair<Shape, Shape> cases[] = {{{3}, {4}}, {{2, 1}, {8, 4, 3}}, {{0}, {2}}, {{4, 3}, {4}}};
  for (const auto& [a, b] : cases) {
    EXPECT_THROW(broadcast_shapes(a, b), UsageError) << to_string(a) << " " << to_string(b);
    EXPECT_THROW(broadcast_shapes(b, a), UsageError) << to_string(b) << " " << to_string(a);
  }
}

TEST(Broadcasting, NamesBothShapesInItsError) {
  try {
    broadcast_shapes({2, 3}, {7});
    FAIL() << "accepted";
  } catch (const UsageError& error) {
    EXPECT_NE(error.record().what.find("(2, 3)"), std::string::npos);
    EXPECT_NE(error.record().what.find("(7,)"), std::string::npos);
  }
}

TEST(Box, KnowsItsShapeAndWhetherItIsEmpty) {
  const Box box{{2, 0}, {5, 4}};
  EXPECT_EQ(box.rank(), 2);
  EXPECT_EQ(box.shape(), (Shape{3, 4}));
  EXPECT_FALSE(box.empty());
  EXPECT_TRUE((Box{{2, 4}, {5, 4}}.empty()));
  EXPECT_FALSE((Box{{}, {}}.empty())) << "a 0-d box holds one element";
  EXPECT_EQ(to_string(Box{{0, 90}, {12, 180}}), "[0:12, 90:180]");
  EXPECT_EQ(to_string(Box{{}, {}}), "[]");
}

/// Every half-open interval inside 0..5.
std::vector<std::pair<std::int64_t, std::int64_t>> intervals() {
  std::vector<std::pair<std::int64_t, std::int64_t>> all;
  for (std::int64_t start = 0; start <= 5; ++start)
    for (std::int64_t stop = start; stop <= 5; ++stop) all.emplace_back(start, stop);
  return all;
}

TEST(Intersection, HoldsExactlyTheIndicesThatBothHold) {
  for (const auto& [a0, a1] : intervals())
    for (const auto& [b0, b1] : intervals()) {
      const Box common = intersect({{a0}, {a1}}, {{b0}, {b1}});
      ASSERT_GE(common.stop[0], common.start[0]);
      for (std::int64_t i = 0; i < 5; ++i) {
        const bool in_both = i >= a0 && i < a1 && i >= b0 && i < b1;
        ASSERT_EQ(i >= common.start[0] && i < common.stop[0], in_both)
            << a0 << ":" << a1 << " and " << b0 << ":" << b1 << " at " << i;
      }
    }
}

TEST(Intersection, WorksOnEveryAxisByItself) {
  EXPECT_EQ(intersect({{0, 5}, {10, 9}}, {{4, 0}, {20, 7}}), (Box{{4, 5}, {10, 7}}));
  EXPECT_TRUE(intersect({{0, 0}, {4, 4}}, {{4, 0}, {8, 4}}).empty());
  EXPECT_THROW(intersect({{0}, {1}}, {{0, 0}, {1, 1}}), InternalError);
}

}  // namespace
}  // namespace brim
