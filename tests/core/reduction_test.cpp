#include "core/reduction.h"

#include <gtest/gtest.h>

namespace brim {
namespace {

TEST(Accumulators, OfSumsAndMeansAreWide) {
  for (const DType dtype : kAllDTypes) {
    EXPECT_EQ(item_size(accumulator_dtype(Reduction::kSum, dtype)), 8) << to_string(dtype);
    EXPECT_EQ(accumulator_dtype(Reduction::kMean, dtype), DType::kFloat64) << to_string(dtype);
  }
  EXPECT_EQ(accumulator_dtype(Reduction::kSum, DType::kFloat32), DType::kFloat64);
  EXPECT_EQ(accumulator_dtype(Reduction::kSum, DType::kInt8), DType::kInt64);
  EXPECT_EQ(accumulator_dtype(Reduction::kSum, DType::kBool), DType::kInt64);
  EXPECT_EQ(accumulator_dtype(Reduction::kSum, DType::kUInt8), DType::kUInt64);
}

TEST(Accumulators, OfMinAndMaxKeepTheValuesDtype) {
  for (const DType dtype : kAllDTypes)
    for (const Reduction reduction : {Reduction::kMin, Reduction::kMax})
      EXPECT_EQ(accumulator_dtype(reduction, dtype), dtype);
}

}  // namespace
}  // namespace brim
