// Promotion, reduction dtypes and broadcasting against NumPy itself, asked through Debian's python3-numpy.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <memory>
#include <random>
#include <sstream>
#include <string>

#include "brim/dtype.h"
#include "brim/error.h"
#include "brim/shape.h"
#include "core/reduction.h"

namespace brim {
namespace {

/// What a Python program prints, with NumPy imported as np.
std::string ask_numpy(const std::string& program) {
  const std::string command = "/usr/bin/python3 -W error -c 'import numpy as np\n" + program + "'";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::string printed;
  std::array<char, 4096> buffer;
  while (const auto count = std::fread(buffer.data(), 1, buffer.size(), pipe.get()))
    printed.append(buffer.data(), count);
  return printed;
}

/// The names of all dtypes as a Python list.
std::string dtype_names() {
  std::string names;
  for (const DType dtype : kAllDTypes) names.append(fmt::format("\"{}\", ", to_string(dtype)));
  return fmt::format("[{}]", names);
}

TEST(NumPyOracle, PromotesEveryPairAlike) {
  const auto program = fmt::format(
      "names = {}\nfor a in names:\n  for b in names:\n    print(a, b, np.promote_types(a, b))", dtype_names());
  std::istringstream lines(ask_numpy(program));
  std::string a;
  std::string b;
  std::string result;
  int pairs = 0;
  while (lines >> a >> b >> result) {
    EXPECT_EQ(to_string(promote(*find_dtype(a), *find_dtype(b))), result) << a << " with " << b;
    ++pairs;
  }
  EXPECT_EQ(pairs, 121);
}

TEST(NumPyOracle, ReducesToTheSameDtypes) {
  const auto program = fmt::format(
      "for name in {}:\n  x = np.ones(3, dtype=name)\n"
      "  print(name, np.sum(x).dtype, np.mean(x).dtype, np.min(x).dtype, np.max(x).dtype)",
      dtype_names());
  std::istringstream lines(ask_numpy(program));
  std::string name;
  std::array<std::string, 4> result;
  int rows = 0;
  while (lines >> name >> result[0] >> result[1] >> result[2] >> result[3]) {
    const DType dtype = *find_dtype(name);
    EXPECT_EQ(to_string(reduced_dtype(Reduction::kSum, dtype)), result[0]) << "sum of " << name;
    EXPECT_EQ(to_string(reduced_dtype(Reduction::kMean, dtype)), result[1]) << "mean of " << name;
    EXPECT_EQ(to_string(reduced_dtype(Reduction::kMin, dtype)), result[2]) << "min of " << name;
    EXPECT_EQ(to_string(reduced_dtype(Reduction::kMax, dtype)), result[3]) << "max of " << name;
    ++rows;
  }
  EXPECT_EQ(rows, 11);
}

TEST(NumPyOracle, AccumulatesInWideDtypes) {
  for (const DType dtype : kAllDTypes)
    for (const Reduction reduction : {Reduction::kSum, Reduction::kMean, Reduction::kMin, Reduction::kMax}) {
      const bool keeps_values = reduction == Reduction::kMin || reduction == Reduction::kMax;
      EXPECT_EQ(item_size(accumulator_dtype(reduction, dtype)), keeps_values ? item_size(dtype) : 8)
          << to_string(dtype);
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
  std::vector<std::pair<Shape, Shape>> pairs;
  std::string list;
  for (int i = 0; i < 400; ++i) {
    pairs.emplace_back(random_shape(), random_shape());
    list.append(fmt::format("({}, {}), ", to_string(pairs.back().first), to_string(pairs.back().second)));
  }
  const auto program = fmt::format(
      "for a, b in [{}]:\n  try:\n    print(np.broadcast_shapes(a, b))\n  except ValueError:\n    print(\"refused\")",
      list);
  std::istringstream lines(ask_numpy(program));
  for (const auto& [a, b] : pairs) {
    std::string expected;
    ASSERT_TRUE(std::getline(lines, expected));
    std::string result;
    try {
      result = to_string(broadcast_shapes(a, b));
    } catch (const UsageError&) {
      result = std::string("refused");
    }
    EXPECT_EQ(result, expected) << to_string(a) << " with " << to_string(b) << ", seed " << kSeed;
  }
}

}  // namespace
}  // namespace brim
