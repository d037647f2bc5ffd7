#include "kernels/copy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>

namespace brim::kernels {
namespace {

/// Copies between two permuted and stepped views, and compares with the definition, gaps included.
void check_copy(std::int64_t size, const Shape& shape, std::mt19937& random) {
  const auto layout = [&](std::vector<std::byte>& memory, std::int64_t& first) {
    std::vector<std::size_t> axes(shape.size());
    std::iota(axes.begin(), axes.end(), std::size_t{0});
    std::shuffle(axes.begin(), axes.end(), random);
    Strides strides{};
    std::int64_t step = size;
    first = 0;
    for (const std::size_t axis : axes) {
      const std::int64_t scale = random() % 3 == 0 ? 2 : 1;
      strides[axis] = (random() % 4 == 0 ? -1 : 1) * step * scale;
      if (strides[axis] < 0) first -= (shape[axis] - 1) * strides[axis];
      step *= scale * std::max<std::int64_t>(1, shape[axis]);
    }
    first = std::max<std::int64_t>(first, 0);
    memory.resize(static_cast<std::size_t>(step) + 8);
    for (std::byte& byte : memory) byte = static_cast<std::byte>(random());
    return strides;
  };
  std::vector<std::byte> from;
  std::vector<std::byte> to;
  std::int64_t from_first = 0;
  std::int64_t to_first = 0;
  const Strides source = layout(from, from_first);
  const Strides destination = layout(to, to_first);
  std::vector<std::byte> want = to;
  for (std::int64_t flat = 0; flat < element_count(shape); ++flat) {
    std::int64_t left = flat;
    std::int64_t a = from_first;
    std::int64_t b = to_first;
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      a += left % shape[axis] * source[axis];
      b += left % shape[axis] * destination[axis];
      left /= shape[axis];
    }
    std::memcpy(want.data() + b, from.data() + a, static_cast<std::size_t>(size));
  }
  copy(size, shape, {from.data() + from_first, source}, {to.data() + to_first, destination});
  EXPECT_TRUE(to == want) << to_string(shape) << " of " << size;
}

TEST(Copy, MovesEveryElementAndNothingElse) {
  std::mt19937 random(17);
  for (const std::int64_t size : {1, 2, 4, 8})
    for (const Shape& shape : {Shape{}, Shape{1}, Shape{0}, Shape{100}, Shape{300, 70}, Shape{65, 129}, Shape{3, 0, 4},
                               Shape{20, 30, 40}, Shape{2, 3, 4, 5, 6}, Shape{1, 257, 1, 64}})
      for (int trial = 0; trial < 8; ++trial) check_copy(size, shape, random);
}

TEST(Copy, RepeatsBroadcastElements) {
  const std::vector<float> row = {1, 2, 3};
  std::vector<float> out(6);
  ConstView source{reinterpret_cast<const std::byte*>(row.data()), {}};
  source.strides[1] = 4;
  copy(4, {2, 3}, source, {reinterpret_cast<std::byte*>(out.data()), contiguous_strides({2, 3}, 4)});
  EXPECT_EQ(out, (std::vector<float>{1, 2, 3, 1, 2, 3}));
}

TEST(ContiguousStrides, AreThoseOfRowMajorOrder) {
  const Strides strides = contiguous_strides({2, 3, 4}, 8);
  EXPECT_EQ(strides[0], 96);
  EXPECT_EQ(strides[1], 32);
  EXPECT_EQ(strides[2], 8);
  EXPECT_EQ(strides[3], 0);
}

}  // namespace
}  // namespace brim::kernels
