#include <gtest/gtest.h>

#include <cmath>

#include "kernels/single_function.h"

namespace brim::kernels {
namespace {

class EachPair : public ::testing::TestWithParam<std::tuple<DType, DType>> {};

TEST_P(EachPair, ConvertsAsNumPyDoes) {
  const auto [from, to] = GetParam();
  auto values = testing::awkward_values(from);
  const auto more = testing::random_values(from, 3000, 6);
  values.bytes.insert(values.bytes.end(), more.bytes.begin(), more.bytes.end());
  values.shape[0] += 3000;
  const auto got = testing::run(testing::program_of(Function::kAstype, from, to), values.shape, {values}).front();
  const auto want = oracle::evaluate("a.astype('" + std::string(to_string(to)) + "')", {{"a", values}});
  const auto size = static_cast<std::size_t>(item_size(to));
  for (std::size_t i = 0; i < static_cast<std::size_t>(values.shape[0]); ++i) {
    if (is_floating(to)) {
      ASSERT_EQ(testing::ulps(testing::element(got, i), testing::element(want, i), to), 0) << "element " << i;
      continue;
    }
    // NumPy's own answers for uint32 out of range differ by how its loop was compiled.
    if (is_floating(from) && to == DType::kUInt32 && !(std::abs(testing::element(values, i)) < 2147483648.0)) continue;
    ASSERT_TRUE(std::equal(got.bytes.begin() + static_cast<std::ptrdiff_t>(i * size),
                           got.bytes.begin() + static_cast<std::ptrdiff_t>((i + 1) * size),
                           want.bytes.begin() + static_cast<std::ptrdiff_t>(i * size)))
        << "element " << i << (is_floating(from) ? ", " + std::to_string(testing::element(values, i)) : "");
  }
}

INSTANTIATE_TEST_SUITE_P(DTypes, EachPair,
                         ::testing::Combine(::testing::ValuesIn(kAllDTypes), ::testing::ValuesIn(kAllDTypes)),
                         [](const auto& info) {
                           return std::string(to_string(std::get<0>(info.param))) + "_to_" +
                                  std::string(to_string(std::get<1>(info.param)));
                         });

TEST(ConvertScalar, FollowsNumPysRules) {
  EXPECT_EQ(std::get<std::int64_t>(convert({DType::kFloat64, 2.9}, DType::kInt8).value), 2);
  EXPECT_EQ(std::get<std::uint64_t>(convert({DType::kInt64, std::int64_t{-1}}, DType::kUInt8).value), 255U);
  EXPECT_EQ(std::get<bool>(convert({DType::kFloat32, 0.5}, DType::kBool).value), true);
  EXPECT_EQ(std::get<double>(convert({DType::kFloat64, 0.1}, DType::kFloat32).value), double{0.1F});
  EXPECT_EQ(std::get<double>(convert({DType::kBool, true}, DType::kFloat64).value), 1.0);
  EXPECT_EQ(convert({DType::kUInt64, ~std::uint64_t{0}}, DType::kUInt64).dtype, DType::kUInt64);
}

TEST(Conversion, KeepsTheLowBitsOfWhatDoesNotFitUint32) {
  const std::vector<double> values = {-1.0, 4294967297.0, -4294967295.0, NAN, INFINITY, 4294967295.0};
  const auto input = oracle::oracle_array<double>(DType::kFloat64, {6}, values);
  const auto program = testing::program_of(Function::kAstype, DType::kFloat64, DType::kUInt32);
  const auto got = testing::run(program, {6}, {input}).front();
  const std::vector<std::uint32_t> want = {4294967295U, 1, 1, 0, 0, 4294967295U};
  for (std::size_t i = 0; i < want.size(); ++i) EXPECT_EQ(got.as<std::uint32_t>()[i], want[i]) << values[i];
}

}  // namespace
}  // namespace brim::kernels
