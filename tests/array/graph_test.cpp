#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "array/auto_chunks.h"
#include "array/graph.h"
#include "brim/error.h"
#include "oracle/numpy_oracle.h"

// What the nodes behind arrays hold: chunk grids, constants, ranges; and how graphs end.
namespace brim {
namespace {

const FullNode& constant_of(const Array& array) { return std::get<FullNode>(array.node()->detail); }

TEST(ChunkGrids, of_results_are_those_of_the_largest_operand) {
  const auto large = ones({100, 60}, {.dtype = {}, .chunks = Shape{10, 20}});
  const auto row = ones({60}, {.dtype = {}, .chunks = Shape{7}});
  const auto other = ones({100, 60}, {.dtype = {}, .chunks = Shape{33, 44}});
  EXPECT_EQ(add(row, large).grid(), large.grid());
  EXPECT_EQ(add(large, other).grid(), large.grid());  // the first among equals
  EXPECT_EQ(add(other, large).grid(), other.grid());
  EXPECT_EQ(add(2, large).grid(), large.grid());
}

TEST(ChunkGrids, of_axes_that_the_largest_repeats_are_the_others) {
  const auto column = ones({100, 1}, {.dtype = {}, .chunks = Shape{10, 1}});
  const auto row = ones({60}, {.dtype = {}, .chunks = Shape{7}});
  EXPECT_EQ(add(column, row).grid(), ChunkGrid({100, 60}, {10, 7}));
  EXPECT_EQ(add(row, column).grid(), ChunkGrid({100, 60}, {10, 7}));
}

TEST(ChunkGrids, of_slices_shrink_with_the_step) {
  const auto x = ones({100, 60, 5}, {.dtype = {}, .chunks = Shape{10, 20, 5}});
  const auto taken = index(x, {Slice{{}, {}, 3}, Slice{{}, {}, -7}, std::int64_t{2}});
  EXPECT_EQ(taken.grid(), ChunkGrid({34, 9}, {4, 3}));
  EXPECT_EQ(index(x, {NewAxis{}}).grid(), ChunkGrid({1, 100, 60, 5}, {1, 10, 20, 5}));
}

TEST(ChunkGrids, of_reductions_keep_the_other_axes) {
  const auto x = ones({100, 60}, {.dtype = {}, .chunks = Shape{10, 20}});
  EXPECT_EQ(sum(x, {.axis = std::vector{0}}).grid(), ChunkGrid({60}, {20}));
  EXPECT_EQ(sum(x, {.axis = std::vector{0}, .keepdims = true}).grid(), ChunkGrid({1, 60}, {1, 20}));
}

TEST(ChunkGrids, of_new_arrays_are_leading_blocks_near_16_mib) {
  EXPECT_EQ(zeros({1000, 1024, 1024}).grid().chunk_shape(), (Shape{2, 1024, 1024}));
  EXPECT_EQ(zeros({3, 5}).grid().chunk_shape(), (Shape{3, 5}));
  EXPECT_EQ(zeros({10'000'000}).grid().chunk_shape(), (Shape{2 << 20}));
  EXPECT_EQ(zeros({0, 5}).grid().chunk_count(), 0);
  EXPECT_EQ(zeros({}).grid().chunk_count(), 1);
}

TEST(AutoChunks, leave_large_storage_chunks_alone) {
  EXPECT_EQ(auto_chunks({8192, 8192}, 8, Shape{4096, 4096}), (Shape{4096, 4096}));
  EXPECT_EQ(auto_chunks({100, 4096, 4096}, 4, Shape{1, 1024, 1024}), (Shape{1, 1024, 4096}));
  EXPECT_EQ(auto_chunks({100, 100}, 4, Shape{30, 30}), (Shape{100, 100}));
  EXPECT_EQ(auto_chunks({}, 8, std::nullopt), Shape{});
}

TEST(AutoChunks, grow_until_one_more_storage_chunk_would_pass_16_mib) {
  // Every chunk is within a factor of two of the target unless it covers the array.
  for (const std::int64_t extent : {3, 100, 1000, 3000, 40'000}) {
    const Shape shape = {extent, 700, extent};
    const auto chunk = auto_chunks(shape, 8, Shape{1, 50, 1});
    const auto bytes = element_count(chunk) * 8;
    EXPECT_LE(bytes, 16 << 20) << extent;
    EXPECT_TRUE(chunk == shape || bytes > 8 << 20) << extent << ": " << bytes;
  }
}

TEST(Constants, take_the_dtype_of_the_array_beside_them) {
  const auto x = ones({2}, {.dtype = DType::kFloat32});
  const auto sum_node = add(x, 0.1).node();
  const auto constant = constant_of(Array(sum_node->inputs.back()));
  EXPECT_EQ(constant.value.dtype, DType::kFloat32);
  EXPECT_EQ(std::get<double>(constant.value.value), static_cast<double>(0.1F));  // rounded once
  EXPECT_EQ(std::get<std::uint64_t>(constant_of(full({}, 7, {.dtype = DType::kUInt8})).value.value), 7U);
}

TEST(Constants, hold_what_the_dtype_holds_and_no_more) {
  for (const DType dtype : kAllDTypes) {
    if (!is_integer(dtype)) continue;
    const auto bits = static_cast<int>(item_size(dtype)) * 8;
    const double low = is_unsigned_integer(dtype) ? 0 : -std::ldexp(1, bits - 1);
    const double high = std::ldexp(1, is_unsigned_integer(dtype) ? bits : bits - 1);
    if (bits < 64) {
      EXPECT_NO_THROW(full({}, static_cast<std::int64_t>(high) - 1, {.dtype = dtype})) << to_string(dtype);
      EXPECT_THROW(full({}, static_cast<std::int64_t>(high), {.dtype = dtype}), UsageError) << to_string(dtype);
      EXPECT_THROW(full({}, static_cast<std::int64_t>(low) - 1, {.dtype = dtype}), UsageError) << to_string(dtype);
    }
    EXPECT_NO_THROW(full({}, static_cast<std::int64_t>(low), {.dtype = dtype})) << to_string(dtype);
    EXPECT_THROW(full({}, std::nan(""), {.dtype = dtype}), UsageError) << to_string(dtype);
  }
  EXPECT_NO_THROW(full({}, ~std::uint64_t{0}, {.dtype = DType::kUInt64}));
  EXPECT_THROW(full({}, ~std::uint64_t{0}, {.dtype = DType::kInt64}), UsageError);
  EXPECT_EQ(full({}, ~std::uint64_t{0}).dtype(), DType::kUInt64);
}

/// What the node says its elements are, as docs of RangeNode define them.
std::vector<double> values_of(const Array& array) {
  const auto& range = std::get<RangeNode>(array.node()->detail);
  const auto number = [](const Scalar& scalar) {
    return std::visit([](auto held) { return static_cast<double>(held); }, scalar.value);
  };
  std::vector<double> values;
  for (std::int64_t i = 0; i < array.size(); ++i)
    values.push_back(number(range.start) + static_cast<double>(i) * number(range.step));
  if (range.last && !values.empty()) values.back() = *range.last;
  return values;
}

void expect_values(const Array& array, const std::string& numpy) {
  const auto expected = oracle::evaluate("np.float64(" + numpy + ")");
  const auto numbers = expected.as<double>();
  EXPECT_EQ(values_of(array), std::vector<double>(numbers.begin(), numbers.end())) << numpy;
}

TEST(Ranges, have_numpys_values) {
  expect_values(arange(5), "np.arange(5)");
  expect_values(arange(2, 11, 3), "np.arange(2, 11, 3)");
  expect_values(arange(11, 2, -3), "np.arange(11, 2, -3)");
  expect_values(arange(2, 11, -3), "np.arange(2, 11, -3)");
  expect_values(arange(-1, 1, 0.25), "np.arange(-1, 1, 0.25)");
  expect_values(arange(0, 1, 0.1), "np.arange(0, 1, 0.1)");
  expect_values(linspace(0, 1, 7), "np.linspace(0, 1, 7)");
  expect_values(linspace(3, -2, 11), "np.linspace(3, -2, 11)");
  expect_values(linspace(0, 1, 7, false), "np.linspace(0, 1, 7, endpoint=False)");
  expect_values(linspace(2, 3, 1), "np.linspace(2, 3, 1)");
  expect_values(linspace(2, 3, 0), "np.linspace(2, 3, 0)");
}

TEST(Ranges, that_cannot_be_counted_are_refused) {
  EXPECT_THROW(arange(0, std::nan("")), UsageError);
  EXPECT_THROW(arange(0, 1e300, 1e-300), UsageError);
  EXPECT_THROW(arange(0, 5, 1, {.dtype = DType::kBool}), UsageError);
  EXPECT_THROW(linspace(0, 1, 5, true, {.dtype = DType::kInt32}), UsageError);
  EXPECT_THROW(zeros({-1}), UsageError);
  EXPECT_THROW(zeros(Shape(17, 1)), UsageError);
  EXPECT_THROW(zeros({std::int64_t{1} << 40, std::int64_t{1} << 40}), UsageError);
}

TEST(Reductions, over_no_axis_are_the_array_itself) {
  const auto x = ones({2, 3});
  EXPECT_EQ(sum(x, {.axis = std::vector<int>{}}).node(), x.node());
  EXPECT_EQ(max(full({}, 2.5)).shape(), Shape{});
  EXPECT_EQ(mean(ones({2}, {.dtype = DType::kInt8}), {.axis = std::vector<int>{}}).dtype(), DType::kFloat64);
}

TEST(Slices, of_nothing_start_inside_the_array) {
  // x[-100::-1] starts before the first element, backwards.
  const auto taken = index(zeros({5}), {Slice{-100, {}, -1}});
  const auto& axis = std::get<IndexNode>(taken.node()->detail).axes.front();
  EXPECT_EQ(axis.count, 0);
  EXPECT_EQ(axis.start, 0);
}

TEST(Names, are_kept_by_a_node_of_the_same_kind) {
  const auto x = named(add(ones({2}), 1), "x");
  EXPECT_EQ(x.node()->name, "x");
  EXPECT_EQ(std::get<ElementwiseNode>(x.node()->detail).function, Function::kAdd);
  EXPECT_TRUE(add(x, 1).node()->name.empty());
}

TEST(Synthetic, comes_after_synthetic_work_only) {
  const auto first = synthetic({.tasks = 4, .memory = mebibytes(1)});
  EXPECT_EQ(first.grid(), ChunkGrid({4}, {1}));
  EXPECT_EQ(synthetic({.tasks = 2, .after = {first}}).node()->inputs.front(), first.node());
  EXPECT_THROW(synthetic({.tasks = 2, .after = {ones({2})}}), UsageError);
  EXPECT_THROW(synthetic({.tasks = 0}), UsageError);
  EXPECT_THROW(synthetic({.tasks = 1, .memory = Bytes(-1)}), UsageError);
}

Array chain(int length) {
  auto x = ones({3});
  for (int i = 0; i < length; ++i) x = x + 1.0;
  return x;
}

TEST(Graphs, that_several_threads_share_are_taken_apart_by_the_last) {
  auto shared = chain(50'000);
  const std::weak_ptr<const Node> end = shared.node();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([mine = shared]() mutable {
      for (int k = 0; k < 1000; ++k) mine = mine + 1.0;
    });
  shared = ones({1});
  for (auto& thread : threads) thread.join();
  threads.clear();
  EXPECT_TRUE(end.expired());
}

TEST(Graphs, that_die_leave_what_others_hold) {
  auto x = chain(1000);
  const auto middle = x;
  for (int i = 0; i < 100'000; ++i) x = x * 2.0;
  x = ones({1});
  // A hundred thousand nodes are gone, the thousand below are whole.
  int length = 0;
  for (NodePtr node = middle.node(); !node->inputs.empty(); node = node->inputs.front()) ++length;
  EXPECT_EQ(length, 1000);
}

}  // namespace
}  // namespace brim
