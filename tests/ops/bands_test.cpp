#include "ops/bands.h"

#include <gtest/gtest.h>

#include <vector>

namespace brim::ops {
namespace {

void expect_partition(const Box& box) {
  const auto cut = band_cut(box.shape());
  const auto limit = cut.elements;
  std::int64_t elements = 0;
  std::int64_t bands = 0;
  for_each_band(box, cut, [&](const Box& band) {
    const auto count = element_count(band.shape());
    EXPECT_GT(count, 0);
    EXPECT_LE(count, limit);
    EXPECT_EQ(intersect(band, box), band);
    elements += count;
    ++bands;
  });
  EXPECT_EQ(elements, element_count(box.shape())) << to_string(box);
  EXPECT_LE(limit, std::max<std::int64_t>(kBandElements, 1));
}

TEST(Bands, partition_every_box) {
  for (const Shape& shape : std::vector<Shape>{{},
                                               {1},
                                               {0},
                                               {5},
                                               {100000},
                                               {3, 40000},
                                               {40000, 3},
                                               {7, 1, 32768},
                                               {7, 2, 32769},
                                               {2, 0, 5},
                                               {64, 64, 64}}) {
    Box box{Shape(shape.size(), 0), shape};
    expect_partition(box);
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      box.start[axis] += 11;
      box.stop[axis] += 11;
    }
    expect_partition(box);
  }
}

}  // namespace
}  // namespace brim::ops
