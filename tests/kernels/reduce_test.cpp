#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "core/scalar.h"
#include "kernels/reduce.h"
#include "kernels/single_function.h"

namespace brim::kernels {
namespace {

using oracle::OracleArray;

constexpr Reduction kAll[] = {Reduction::kSum, Reduction::kMean, Reduction::kMin, Reduction::kMax};
constexpr const char* kNames[] = {"sum", "mean", "min", "max"};

AxisMask mask_of(const Shape& shape, unsigned bits) {
  AxisMask mask;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) mask.push_back(bits >> axis & 1);
  return mask;
}

std::string axes_of(const AxisMask& mask) {
  std::string text = "(";
  for (std::size_t axis = 0; axis < mask.size(); ++axis)
    if (mask[axis]) text += std::to_string(axis) + ",";
  return text + ")";
}

/// Accumulators of a reduction over a loop shape, with the strides that reduce_into wants.
struct Accumulators {
  Accumulators(Reduction reduction, DType dtype, const Shape& loop, const AxisMask& mask)
      : reduction(reduction), dtype(dtype), shape(loop) {
    for (std::size_t axis = 0; axis < loop.size(); ++axis)
      if (mask[axis]) shape[axis] = 1;
    count = element_count(shape);
    const std::int64_t size = item_size(accumulator_dtype(reduction, dtype));
    bytes.resize(static_cast<std::size_t>(count * size));
    fill_identity(reduction, dtype, count, bytes.data());
    view = {bytes.data(), contiguous_strides(shape, size)};
    for (std::size_t axis = 0; axis < loop.size(); ++axis)
      if (mask[axis]) view.strides[axis] = 0;
  }
  OracleArray finished(std::int64_t reduced_count) {
    OracleArray result{reduced_dtype(reduction, dtype), shape, {}};
    result.bytes.resize(static_cast<std::size_t>(count * item_size(result.dtype)));
    finish(reduction, dtype, count, reduced_count, bytes.data(), result.bytes.data());
    return result;
  }
  Reduction reduction;
  DType dtype;
  Shape shape;
  std::int64_t count = 0;
  std::vector<std::byte> bytes;
  View view;
};

std::int64_t reduced_count(const Shape& shape, const AxisMask& mask) {
  std::int64_t count = 1;
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    if (mask[axis]) count *= shape[axis];
  return count;
}

/// NumPy's value with sums of floats in long double, so that it is the reference and not a peer.
OracleArray reference(std::size_t reduction, const OracleArray& values, const AxisMask& mask, const std::string& view) {
  const bool is_sum = reduction < 2;
  const std::string wide = is_sum && is_floating(values.dtype) ? ".astype(np.longdouble)" : "";
  const std::string name = to_string(reduced_dtype(kAll[reduction], values.dtype)).data();
  return oracle::evaluate("np." + std::string(kNames[reduction]) + "(a" + view + wide + ", axis=" + axes_of(mask) +
                              ", keepdims=True).astype('" + name + "')",
                          {{"a", values}});
}

/// Magnitudes that sums are compared against: float results may be off by a few units of the sum of magnitudes.
void expect_same(const OracleArray& got, const OracleArray& want, const OracleArray& magnitudes) {
  ASSERT_EQ(got.shape, want.shape);
  ASSERT_EQ(got.dtype, want.dtype);
  if (!is_floating(got.dtype)) {
    EXPECT_EQ(got.bytes, want.bytes);
    return;
  }
  const double unit = got.dtype == DType::kFloat32 ? 0x1p-23 : 0x1p-50;
  for (std::size_t i = 0; i < static_cast<std::size_t>(element_count(got.shape)); ++i) {
    const double a = testing::element(got, i);
    const double b = testing::element(want, i);
    if (std::isnan(b) || std::isinf(b)) {
      EXPECT_TRUE(std::isnan(b) ? std::isnan(a) : a == b) << a << " instead of " << b << " at " << i;
    } else {
      EXPECT_LE(std::abs(a - b), unit * testing::element(magnitudes, i)) << a << " instead of " << b << " at " << i;
    }
  }
}

OracleArray test_values(DType dtype, const Shape& shape, unsigned seed) {
  auto values = testing::random_values(dtype, element_count(shape), seed);
  values.shape = shape;
  if (dtype != DType::kFloat32 && dtype != DType::kFloat64) return values;
  // Finite numbers of moderate size, some of them special now and then.
  auto moderate = oracle::evaluate("np.where(np.abs(a) < 1e30, a, 1.5).astype(a.dtype)", {{"a", values}});
  return moderate;
}

void check_all(const OracleArray& values, const Shape& loop, const Strides& strides, std::int64_t first,
               const std::string& view) {
  for (unsigned bits = 0; bits < 1U << loop.size(); ++bits)
    for (std::size_t r = 0; r < 4; ++r) {
      const AxisMask mask = mask_of(loop, bits);
      if (r >= 2 && reduced_count(loop, mask) == 0) continue;  // NumPy refuses; the identity stays
      SCOPED_TRACE(std::string(kNames[r]) + " " + std::string(to_string(values.dtype)) + " " + to_string(loop) + view +
                   " axes " + axes_of(mask));
      Accumulators accumulators(kAll[r], values.dtype, loop, mask);
      reduce_into(kAll[r], values.dtype, loop, mask, {values.bytes.data() + first, strides}, accumulators.view);
      const auto want = reference(r, values, mask, view);
      const auto magnitudes =
          is_floating(want.dtype)
              ? oracle::evaluate(
                    "np.sum(np.abs(a" + view + ".astype(np.float64)), axis=" + axes_of(mask) + ", keepdims=True)" +
                        (r == 1 ? " / n" : "") + " * (0 if k > 1 else 1)",
                    {{"a", values},
                     {"n", oracle::oracle_array<std::int64_t>(
                               DType::kInt64, {},
                               std::vector<std::int64_t>{std::max<std::int64_t>(1, reduced_count(loop, mask))})},
                     {"k", oracle::oracle_array<std::int64_t>(DType::kInt64, {},
                                                              std::vector<std::int64_t>{static_cast<int>(r)})}})
              : OracleArray{};
      expect_same(accumulators.finished(reduced_count(loop, mask)), want, magnitudes);
    }
}

TEST(Reduce, GivesNumPysValuesForEveryDTypeAndSetOfAxes) {
  unsigned seed = 30;
  for (const DType dtype : kAllDTypes)
    for (const Shape& shape : {Shape{}, Shape{1}, Shape{5000}, Shape{7, 300}, Shape{500, 3}, Shape{3, 4, 70},
                               Shape{0, 3}, Shape{2, 3, 4, 5}, Shape{130, 65}})
      check_all(test_values(dtype, shape, ++seed), shape, contiguous_strides(shape, item_size(dtype)), 0, "");
}

TEST(Reduce, WalksAnyStrides) {
  for (const DType dtype : {DType::kFloat32, DType::kInt16, DType::kFloat64}) {
    const Shape whole = {20, 60, 30};
    const auto values = test_values(dtype, whole, 40);
    const Strides own = contiguous_strides(whole, item_size(dtype));
    check_all(values, {30, 60, 20}, {own[2], own[1], own[0]}, 0, ".transpose(2, 1, 0)");
    check_all(values, {20, 60, 30}, {-own[0], own[1], -own[2]}, 19 * own[0] + 29 * own[2], "[::-1, :, ::-1]");
    check_all(values, {10, 20, 10}, {2 * own[0], 3 * own[1], 3 * own[2]}, 0, "[::2, ::3, ::3]");
  }
}

TEST(Reduce, LetsNanWin) {
  for (const DType dtype : {DType::kFloat32, DType::kFloat64})
    for (const std::int64_t place : {0, 1, 63, 64, 500, 998, 999}) {
      auto values = test_values(dtype, {1000}, 50);
      const std::vector<double> nan = {std::numeric_limits<double>::quiet_NaN()};
      values = oracle::evaluate("np.where(np.arange(1000) == " + std::to_string(place) + ", nan, a).astype(a.dtype)",
                                {{"a", values}, {"nan", oracle::oracle_array<double>(DType::kFloat64, {}, nan)}});
      for (const Shape& shape : {Shape{1000}, Shape{100, 10}, Shape{2, 500}}) {
        values.shape = shape;
        check_all(values, shape, contiguous_strides(shape, item_size(dtype)), 0, "");
      }
    }
}

TEST(Reduce, CombinesPartsToTheWhole) {
  for (const DType dtype : kAllDTypes)
    for (std::size_t r = 0; r < 4; ++r) {
      const Shape shape = {6, 50};
      const auto values = test_values(dtype, shape, 60);
      const AxisMask mask = {true, true};
      const std::int64_t wide = item_size(accumulator_dtype(kAll[r], dtype));
      Accumulators parts(kAll[r], dtype, {2, 3, 50}, {false, true, true});
      reduce_into(kAll[r], dtype, {2, 3, 50}, {false, true, true},
                  {values.bytes.data(), contiguous_strides({2, 3, 50}, item_size(dtype))}, parts.view);
      Accumulators whole(kAll[r], dtype, {2}, {true});
      combine_into(kAll[r], dtype, {2}, {true}, {parts.bytes.data(), contiguous_strides({2}, wide)}, whole.view);
      auto result = whole.finished(300);
      result.shape = {1, 1};
      const auto magnitude = oracle::evaluate("np.full((1, 1), np.sum(np.abs(a.astype(np.float64))))", {{"a", values}});
      expect_same(result, reference(r, values, mask, ""), magnitude);
    }
}

TEST(Reduce, KeepsItsErrorBoundOverManyElements) {
  const std::int64_t count = 3'000'000;
  std::vector<double> values(static_cast<std::size_t>(count), 0.1);
  Accumulators run(Reduction::kSum, DType::kFloat64, {count}, {true});
  reduce_into(Reduction::kSum, DType::kFloat64, {count}, {true},
              {reinterpret_cast<const std::byte*>(values.data()), contiguous_strides({count}, 8)}, run.view);
  const double exact = static_cast<double>(0.1L * count + static_cast<long double>(count) * (0.1 - 0.1L));
  EXPECT_LE(std::abs(run.finished(count).as<double>()[0] - exact), 182 * 0x1p-53 * exact);
  Accumulators columns(Reduction::kSum, DType::kFloat64, {count / 3, 3}, {true, false});
  reduce_into(Reduction::kSum, DType::kFloat64, {count / 3, 3}, {true, false},
              {reinterpret_cast<const std::byte*>(values.data()), contiguous_strides({count / 3, 3}, 8)}, columns.view);
  EXPECT_LE(std::abs(columns.finished(count / 3).as<double>()[0] - exact / 3), (160 + 245) * 0x1p-53 * exact / 3);
}

TEST(Reduce, DividesAnEmptyMeanToNan) {
  Accumulators empty(Reduction::kMean, DType::kFloat32, {0}, {true});
  reduce_into(Reduction::kMean, DType::kFloat32, {0}, {true}, {empty.bytes.data(), contiguous_strides({0}, 4)},
              empty.view);
  EXPECT_TRUE(std::isnan(empty.finished(0).as<float>()[0]));
}

}  // namespace
}  // namespace brim::kernels
