#include <gtest/gtest.h>

#include <random>

#include "array/auto_chunks.h"
#include "array/graph.h"
#include "brim/error.h"
#include "oracle/numpy_oracle.h"

// The functions that build arrays follow NumPy and the array API: dtypes, shapes, indexing.
namespace brim {
namespace {

TEST(Dtypes, of_sums_of_every_pair_are_numpys) {
  for (const DType a : kAllDTypes)
    for (const DType b : kAllDTypes) {
      if (is_bool(a) && is_bool(b)) continue;
      const auto expected = oracle::evaluate("np.zeros(2, '" + std::string(to_string(a)) + "') + np.zeros(2, '" +
                                             std::string(to_string(b)) + "')");
      const auto found = add(zeros({2}, {.dtype = a}), zeros({2}, {.dtype = b}));
      EXPECT_EQ(found.dtype(), expected.dtype) << to_string(a) << " + " << to_string(b);
    }
}

TEST(Dtypes, of_numbers_are_weak) {
  // Array API 2023.12, "Mixing arrays with Python scalars", and NumPy 2 where the standard leaves the mix open.
  const auto with = [](DType dtype, Operand number) {
    return add(zeros({2}, {.dtype = dtype}), std::move(number)).dtype();
  };
  EXPECT_EQ(with(DType::kFloat32, 0.1), DType::kFloat32);
  EXPECT_EQ(with(DType::kFloat32, 1), DType::kFloat32);
  EXPECT_EQ(with(DType::kInt8, 100), DType::kInt8);
  EXPECT_EQ(with(DType::kUInt64, 1), DType::kUInt64);
  EXPECT_EQ(with(DType::kInt8, 0.5), DType::kFloat64);
  EXPECT_EQ(with(DType::kBool, 1), DType::kInt64);
  EXPECT_THROW(with(DType::kInt8, 1000), UsageError);
  EXPECT_THROW(with(DType::kUInt8, -1), UsageError);
}

TEST(Dtypes, of_floating_functions_of_integers_are_float64) {
  EXPECT_EQ(exp(zeros({2}, {.dtype = DType::kInt16})).dtype(), DType::kFloat64);
  EXPECT_EQ(divide(ones({2}, {.dtype = DType::kInt64}), 2).dtype(), DType::kFloat64);
  EXPECT_EQ(exp(zeros({2}, {.dtype = DType::kFloat32})).dtype(), DType::kFloat32);
  EXPECT_EQ(isnan(zeros({2}, {.dtype = DType::kInt8})).dtype(), DType::kBool);
}

TEST(Dtypes, that_a_function_does_not_take_are_refused) {
  const auto floats = ones({2});
  const auto bools = full({2}, true);
  EXPECT_THROW(bitwise_and(floats, floats), UsageError);
  EXPECT_THROW(bitwise_left_shift(bools, bools), UsageError);
  EXPECT_THROW(add(bools, bools), UsageError);
  EXPECT_THROW(where(floats, 1, 2), UsageError);
  EXPECT_EQ(bitwise_and(bools, bools).dtype(), DType::kBool);
  EXPECT_EQ(logical_and(floats, bools).dtype(), DType::kBool);
}

TEST(Dtypes, of_reductions_are_numpys) {
  for (const DType dtype : kAllDTypes) {
    const auto name = std::string(to_string(dtype));
    const auto x = zeros({2, 3}, {.dtype = dtype});
    EXPECT_EQ(sum(x).dtype(), oracle::evaluate("np.zeros((2, 3), '" + name + "').sum()").dtype) << name;
    EXPECT_EQ(mean(x).dtype(), oracle::evaluate("np.zeros((2, 3), '" + name + "').mean()").dtype) << name;
    EXPECT_EQ(max(x).dtype(), dtype);
  }
}

TEST(Shapes, broadcast_or_are_refused_by_name) {
  EXPECT_EQ(add(ones({4, 1, 3}), ones({5, 1})).shape(), (Shape{4, 5, 3}));
  EXPECT_EQ(add(ones({0, 3}), ones({1})).shape(), (Shape{0, 3}));
  EXPECT_EQ(add(full({}, 1.0), full({}, 2.0)).shape(), Shape{});
  try {
    add(ones({4, 3}), ones({4}));
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("(4, 3) and (4,)"), std::string::npos) << error.what();
  }
}

TEST(Slices, take_what_python_takes) {
  const auto parts = [](std::optional<std::int64_t> value) {
    return value ? std::to_string(*value) : std::string("None");
  };
  std::vector<std::optional<std::int64_t>> bounds = {std::nullopt};
  for (std::int64_t bound = -8; bound <= 8; ++bound) bounds.emplace_back(bound);
  for (std::int64_t extent = 0; extent <= 6; ++extent)
    for (const std::int64_t step : {-3, -2, -1, 1, 2, 3}) {
      // One question a step and extent: Python answers for all bounds at once.
      std::string list;
      for (const auto& start : bounds)
        for (const auto& stop : bounds) list += "(" + parts(start) + "," + parts(stop) + "),";
      const auto expected = oracle::evaluate("np.array([v for a, b in [" + list + "] for r in [range(" +
                                             std::to_string(extent) + ")[slice(a, b, " + std::to_string(step) +
                                             ")]] for v in (len(r), r.start if len(r) else 0)], dtype='int64')");
      const auto numbers = expected.as<std::int64_t>();
      std::size_t at = 0;
      for (const auto& start : bounds)
        for (const auto& stop : bounds) {
          const auto taken = index(zeros({extent}), {Slice{start, stop, step}});
          const auto& axis = std::get<IndexNode>(taken.node()->detail).axes.front();
          ASSERT_EQ(taken.shape()[0], numbers[at])
              << extent << " [" << parts(start) << ":" << parts(stop) << ":" << step << "]";
          if (numbers[at] > 0) {
            ASSERT_EQ(axis.start, numbers[at + 1]);
          }
          at += 2;
        }
    }
}

TEST(Slices, with_integers_ellipsis_and_new_axes) {
  const auto x = zeros({4, 5, 6});
  EXPECT_EQ(index(x, {std::int64_t{1}}).shape(), (Shape{5, 6}));
  EXPECT_EQ(index(x, {Ellipsis{}, std::int64_t{-1}}).shape(), (Shape{4, 5}));
  EXPECT_EQ(index(x, {NewAxis{}, Slice{}, Ellipsis{}, NewAxis{}}).shape(), (Shape{1, 4, 5, 6, 1}));
  EXPECT_THROW(index(x, {std::int64_t{4}}), UsageError);
  EXPECT_THROW(index(x, {Ellipsis{}, Ellipsis{}}), UsageError);
  EXPECT_THROW(index(x, {Slice{}, Slice{}, Slice{}, Slice{}}), UsageError);
  EXPECT_THROW(index(x, {Slice{{}, {}, 0}}), UsageError);
}

TEST(Reductions, shape_and_axes) {
  const auto x = zeros({4, 5, 6});
  EXPECT_EQ(sum(x).shape(), Shape{});
  EXPECT_EQ(sum(x, {.axis = std::vector{-1}}).shape(), (Shape{4, 5}));
  EXPECT_EQ(sum(x, {.axis = std::vector{0, 2}, .keepdims = true}).shape(), (Shape{1, 5, 1}));
  EXPECT_EQ(sum(x, {.axis = std::vector<int>{}}).shape(), (Shape{4, 5, 6}));
  EXPECT_THROW(sum(x, {.axis = std::vector{3}}), UsageError);
  EXPECT_THROW(sum(x, {.axis = std::vector{0, -3}}), UsageError);
  EXPECT_THROW(max(zeros({0, 3})), UsageError);
  EXPECT_NO_THROW(max(zeros({0, 3}), {.axis = std::vector{1}}));
  EXPECT_NO_THROW(mean(zeros({0, 3})));
}

TEST(Arange, has_as_many_values_as_numpys) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> any(-20, 20);
  for (int round = 0; round < 200; ++round) {
    const double start = any(random);
    const double stop = any(random);
    const double step = round % 2 == 0 ? std::round(any(random)) + 0.5 : any(random);
    const auto text =
        "np.arange(" + std::to_string(start) + ", " + std::to_string(stop) + ", " + std::to_string(step) + ")";
    const auto expected = oracle::evaluate(text);
    EXPECT_EQ(arange(std::stod(std::to_string(start)), std::stod(std::to_string(stop)), std::stod(std::to_string(step)))
                  .shape(),
              expected.shape)
        << text << ", seed 3, round " << round;
  }
  EXPECT_EQ(arange(5).dtype(), DType::kInt64);
  EXPECT_EQ(arange(5.0).dtype(), DType::kFloat64);
  EXPECT_THROW(arange(0, 5, 0), UsageError);
}

TEST(AutoChunks, are_multiples_of_storage_chunks_below_16_mib) {
  std::mt19937 random(9);
  const auto pick = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  };
  for (int round = 0; round < 500; ++round) {
    Shape shape;
    Shape stored;
    for (auto rank = pick(1, 4); rank > 0; --rank) {
      shape.push_back(pick(1, 3000));
      stored.push_back(pick(1, shape.back()));
    }
    const auto chunk = auto_chunks(shape, 4, stored);
    const bool unchanged = chunk == stored;
    EXPECT_TRUE(unchanged || element_count(chunk) * 4 <= (16 << 20)) << "seed 9, round " << round;
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
      EXPECT_TRUE(chunk[axis] % stored[axis] == 0 || chunk[axis] == shape[axis]) << "seed 9, round " << round;
  }
}

TEST(Graphs, of_a_hundred_thousand_nodes_come_and_go) {
  auto x = ones({3});
  for (int i = 0; i < 100'000; ++i) x = x + 1.0;
  auto shared = x;
  for (int i = 0; i < 50'000; ++i) shared = shared + shared;
  EXPECT_EQ(shared.shape(), Shape{3});
}

}  // namespace
}  // namespace brim
