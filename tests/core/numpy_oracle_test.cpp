// Promotion, reduction dtypes and broadcasting against NumPy itself.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <random>
#include <stdexcept>

#include "brim/dtype.h"
#include "brim/error.h"
#include "brim/shape.h"
#include "core/reduction.h"
#include "oracle/numpy_oracle.h"

namespace brim {
namespace {

TEST(NumPyOracle, PromotesEveryPairAlike) {
  for (const DType a : kAllDTypes)
    for (const DType b : kAllDTypes) {
      const auto expression = fmt::format("np.empty(0, np.promote_types('{}', '{}'))", to_string(a), to_string(b));
      EXPECT_EQ(to_string(promote(a, b)), to_string(oracle::evaluate(expression).dtype)) << expression;
    }
}

TEST(NumPyOracle, ReducesToTheSameDtypes) {
  constexpr std::pair<Reduction, const char*> kReductions[] = {
      {Reduction::kSum, "sum"}, {Reduction::kMean, "mean"}, {Reduction::kMin, "min"}, {Reduction::kMax, "max"}};
  for (const DType dtype : kAllDTypes)
    for (const auto& [reduction, name] : kReductions) {
      const auto expression = fmt::format("np.{}(np.ones(3, '{}'))", name, to_string(dtype));
      EXPECT_EQ(to_string(reduced_dtype(reduction, dtype)), to_string(oracle::evaluate(expression).dtype))
          << expression;
    }
}

/// The shape that two shapes broadcast to, or nothing.
std::optional<Shape> broadcast_by_numpy(const Shape& a, const Shape& b) {
  try {
    const auto shape = oracle::evaluate(
        fmt::format("np.array(np.broadcast_shapes({}, {}), dtype=np.int64)", to_string(a), to_string(b)));
    const auto extents = shape.as<std::int64_t>();
    return Shape(extents.begin(), extents.end());
  } catch (const std::runtime_error&) {
    return std::nullopt;
  }
}

std::optional<Shape> broadcast_by_brim(const Shape& a, const Shape& b) {
  try {
    return broadcast_shapes(a, b);
  } catch (const UsageError&) {
    return std::nullopt;
  }
}

TEST(NumPyOracle, BroadcastsRandomShapesAlike) {
  constexpr unsigned kSeed = 20240611;
  std::mt19937 random(kSeed);
  const auto random_shape = [&] {
    Shape shape(random() % 5);
    for (auto& extent : shape) extent = std::array{0, 1, 1, 2, 2, 3}[random() % 6];
    return shape;
  };
  int refused = 0;
  for (int i = 0; i < 400; ++i) {
    const Shape a = random_shape();
    const Shape b = random_shape();
    const auto expected = broadcast_by_numpy(a, b);
    EXPECT_EQ(broadcast_by_brim(a, b), expected) << to_string(a) << " with " << to_string(b) << ", seed " << kSeed;
    refused += !expected;
  }
  EXPECT_GT(refused, 20) << "hardly a shape was refused: does NumPy answer at all?";
  EXPECT_LT(refused, 380) << "hardly a shape was accepted: does NumPy answer at all?";
}

}  // namespace
}  // namespace brim
