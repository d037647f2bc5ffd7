#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "core/scalar.h"
#include "kernels/instruction_set.h"
#include "kernels/single_function.h"

namespace brim::kernels {
namespace {

/// The sets that this CPU has.
std::vector<KernelSet> available_sets() {
  std::vector<KernelSet> sets = {{"baseline", baseline::find_kernel, baseline::reduce_kernels}};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    sets.push_back({"avx2", avx2::find_kernel, avx2::reduce_kernels});
  if (__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512cd"))
    sets.push_back({"avx512", avx512::find_kernel, avx512::reduce_kernels});
#endif
  return sets;
}

/// Functions of which every set gives the same bits.
bool is_exact(Function function, DType dtype) {
  if (!is_floating(dtype)) return true;
  return facts(function).cost <= 3 || function == Function::kSqrt || function == Function::kFloorDivide ||
         function == Function::kRemainder;
}

std::vector<std::byte> compute(const KernelSet& set, const KernelKey& key, const oracle::OracleArray& a,
                               const oracle::OracleArray& b) {
  const Kernel kernel = set.find_kernel(key);
  if (!kernel) return {};
  std::vector<std::byte> out(static_cast<std::size_t>(a.shape[0] * item_size(key.result_dtype)));
  const auto condition = testing::random_values(DType::kBool, a.shape[0], 8);
  const bool is_where = key.function == Function::kWhere;
  const std::byte* operands[] = {is_where ? condition.bytes.data() : a.bytes.data(),
                                 is_where ? a.bytes.data() : b.bytes.data(), b.bytes.data()};
  kernel(operands, out.data(), a.shape[0]);
  return out;
}

void expect_agreement(const KernelKey& key, const std::vector<std::byte>& got, const std::vector<std::byte>& want) {
  ASSERT_EQ(got.size(), want.size());
  if (!is_floating(key.result_dtype)) {
    EXPECT_TRUE(got == want);
    return;
  }
  const Shape shape = {static_cast<std::int64_t>(got.size()) / item_size(key.result_dtype)};
  const oracle::OracleArray first{key.result_dtype, shape, got};
  const oracle::OracleArray second{key.result_dtype, shape, want};
  const double allowed = is_exact(key.function, key.operand_dtype) ? 0 : 4;
  for (std::size_t i = 0; i < static_cast<std::size_t>(shape[0]); ++i) {
    double apart = testing::ulps(testing::element(first, i), testing::element(second, i), key.result_dtype);
    if (key.function == Function::kLogaddexp && std::abs(testing::element(second, i)) < 1)
      apart *= std::max(std::abs(testing::element(second, i)), 1e-300);
    ASSERT_LE(apart, allowed) << "element " << i;
  }
}

TEST(InstructionSets, AgreeOnEveryFunction) {
  const auto sets = available_sets();
  for (int f = 0; f < kFunctionCount; ++f)
    for (const DType dtype : kAllDTypes)
      for (const Form form : {Form::kTiles, Form::kFirstIsScalar, Form::kSecondIsScalar}) {
        const auto function = static_cast<Function>(f);
        if (function == Function::kAstype || !testing::takes(function, dtype)) continue;
        const auto [a, b] = testing::all_pairs(testing::awkward_values(dtype));
        const KernelKey key{function, dtype, testing::result_of(function, dtype), form};
        const auto want = compute(sets[0], key, a, b);
        EXPECT_TRUE(!want.empty() || form != Form::kTiles) << facts(function).name;
        for (const KernelSet& set : sets) {
          SCOPED_TRACE(std::string(facts(function).name) + " " + std::string(to_string(dtype)) + " by " + set.name);
          const auto got = compute(set, key, a, b);
          if (!got.empty() && !want.empty()) expect_agreement(key, got, want);
        }
      }
}

TEST(InstructionSets, SumInTheSameOrder) {
  const auto sets = available_sets();
  for (const DType dtype : kAllDTypes)
    for (const Reduction reduction : {Reduction::kSum, Reduction::kMean, Reduction::kMin, Reduction::kMax}) {
      auto values = testing::random_values(dtype, 20000, 7);
      if (is_floating(dtype))
        values = oracle::evaluate("np.where(np.abs(a) < 1e30, a, 0).astype(a.dtype)", {{"a", values}});
      std::array<std::byte, 8> want{};
      for (std::size_t i = 0; i < sets.size(); ++i) {
        std::array<std::byte, 8> sum{};
        sets[i].reduce_kernels(reduction, dtype).fold_run(values.bytes.data(), 20000, sum.data());
        if (i == 0) want = sum;
        EXPECT_TRUE(sum == want) << sets[i].name << " " << to_string(dtype);
      }
    }
}

TEST(InstructionSets, AreNamed) {
  std::vector<std::string> names;
  for (const KernelSet& set : available_sets()) names.emplace_back(set.name);
  EXPECT_THAT(names, ::testing::Contains(std::string(instruction_set())));
  const char* named = std::getenv("BRIM_INSTRUCTION_SET");
  EXPECT_EQ(instruction_set(), named ? named : names.back());
}

}  // namespace
}  // namespace brim::kernels
