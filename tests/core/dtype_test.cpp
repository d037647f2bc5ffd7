#include "brim/dtype.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>

#include "brim/error.h"

namespace brim {
namespace {

constexpr DType b1 = DType::kBool;
constexpr DType i1 = DType::kInt8;
constexpr DType i2 = DType::kInt16;
constexpr DType i4 = DType::kInt32;
constexpr DType i8 = DType::kInt64;
constexpr DType u1 = DType::kUInt8;
constexpr DType u2 = DType::kUInt16;
constexpr DType u4 = DType::kUInt32;
constexpr DType u8 = DType::kUInt64;
constexpr DType f4 = DType::kFloat32;
constexpr DType f8 = DType::kFloat64;

// The type promotion tables of the Python array API standard 2023.12 (data-apis.org/array-api, "Type Promotion Rules"):
// signed with signed, unsigned with unsigned, mixed signed and unsigned, floating with floating.
constexpr DType kSigned[4] = {i1, i2, i4, i8};
constexpr DType kUnsigned[4] = {u1, u2, u4, u8};
constexpr DType kSignedTable[4][4] = {{i1, i2, i4, i8}, {i2, i2, i4, i8}, {i4, i4, i4, i8}, {i8, i8, i8, i8}};
constexpr DType kUnsignedTable[4][4] = {{u1, u2, u4, u8}, {u2, u2, u4, u8}, {u4, u4, u4, u8}, {u8, u8, u8, u8}};
// Rows u1 u2 u4, columns i1 i2 i4 i8. The standard leaves uint64 with signed integers undefined.
constexpr DType kMixedTable[3][4] = {{i2, i2, i4, i8}, {i4, i4, i4, i8}, {i8, i8, i8, i8}};

void expect_promotion(DType a, DType b, DType result) {
  EXPECT_EQ(promote(a, b), result) << to_string(a) << " with " << to_string(b);
  EXPECT_EQ(promote(b, a), result) << to_string(b) << " with " << to_string(a);
}

TEST(Promotion, FollowsTheStandardsTablesForIntegers) {
  for (int row = 0; row < 4; ++row)
    for (int column = 0; column < 4; ++column) {
      expect_promotion(kSigned[row], kSigned[column], kSignedTable[row][column]);
      expect_promotion(kUnsigned[row], kUnsigned[column], kUnsignedTable[row][column]);
      if (row < 3) expect_promotion(kUnsigned[row], kSigned[column], kMixedTable[row][column]);
    }
}

TEST(Promotion, FollowsTheStandardsTableForFloats) {
  expect_promotion(f4, f4, f4);
  expect_promotion(f4, f8, f8);
  expect_promotion(f8, f8, f8);
  expect_promotion(b1, b1, b1);
}

// Where the standard is silent: the answers of NumPy 1.24's promote_types, which
// tests/core/numpy_oracle_test.py asks itself.
TEST(Promotion, FollowsNumPyWhereTheStandardIsSilent) {
  for (const DType integer : {i1, i2, u1, u2}) expect_promotion(integer, f4, f4);
  for (const DType integer : {i4, i8, u4, u8}) expect_promotion(integer, f4, f8);
  for (const DType integer : {i1, i2, i4, i8, u1, u2, u4, u8}) expect_promotion(integer, f8, f8);
  for (const DType integer : {i1, i2, i4, i8}) expect_promotion(u8, integer, f8);
  for (const DType any : kAllDTypes) expect_promotion(b1, any, any);
}

TEST(Promotion, WithItselfChangesNothing) {
  for (const DType a : kAllDTypes) EXPECT_EQ(promote(a, a), a);
}

TEST(DTypeNames, AreThoseOfTheStandardAndReadBack) {
  const std::map<DType, std::pair<std::string, std::int64_t>> expected = {
      {b1, {"bool", 1}},   {i1, {"int8", 1}},    {i2, {"int16", 2}},  {i4, {"int32", 4}},
      {i8, {"int64", 8}},  {u1, {"uint8", 1}},   {u2, {"uint16", 2}}, {u4, {"uint32", 4}},
      {u8, {"uint64", 8}}, {f4, {"float32", 4}}, {f8, {"float64", 8}}};
  ASSERT_EQ(expected.size(), kAllDTypes.size());
  for (const DType dtype : kAllDTypes) {
    EXPECT_EQ(to_string(dtype), expected.at(dtype).first);
    EXPECT_EQ(item_size(dtype), expected.at(dtype).second);
    EXPECT_EQ(find_dtype(to_string(dtype)), dtype);
  }
  for (const char* name : {"", "float", "float16", "Float32", "int8 ", "complex64"})
    EXPECT_EQ(find_dtype(name), std::nullopt) << name;
}

TEST(DTypeKinds, AreExclusive) {
  for (const DType dtype : kAllDTypes) {
    EXPECT_EQ(is_bool(dtype) + is_signed_integer(dtype) + is_unsigned_integer(dtype) + is_floating(dtype), 1)
        << to_string(dtype);
    EXPECT_EQ(is_integer(dtype), is_signed_integer(dtype) || is_unsigned_integer(dtype));
    EXPECT_EQ(is_numeric(dtype), !is_bool(dtype));
  }
  EXPECT_TRUE(is_signed_integer(i8));
  EXPECT_TRUE(is_unsigned_integer(u1));
  EXPECT_TRUE(is_floating(f4));
}

TEST(DTypeKinds, OfANumberThatIsNoDTypeAreADefect) {
  EXPECT_THROW(item_size(static_cast<DType>(kAllDTypes.size())), InternalError);
  EXPECT_THROW(to_string(static_cast<DType>(255)), InternalError);
}

}  // namespace
}  // namespace brim
