#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "kernels/single_function.h"

namespace brim::kernels {
namespace {

using oracle::OracleArray;
using testing::random_values;

/// out0 = (a * b + 2) / a, out1 = a < b, out2 = a (an input), out3 = 2 (a constant), out4 = out0 again.
Program program_with_every_kind_of_output() {
  Program program;
  program.inputs = {DType::kFloat32, DType::kFloat32};
  program.constants = {{DType::kFloat32, 2.0}};
  const auto f = DType::kFloat32;
  program.instructions = {{Function::kMultiply, f, f, {0, 1}},
                          {Function::kAdd, f, f, {3, 2}},
                          {Function::kDivide, f, f, {4, 0}},
                          {Function::kLess, f, DType::kBool, {0, 1}}};
  program.outputs = {5, 6, 0, 2, 5};
  return program;
}

constexpr const char* kExpressions[] = {"(a * b + np.float32(2)) / a", "a < b", "a", "np.full(a.shape, np.float32(2))",
                                        "(a * b + np.float32(2)) / a"};

/// A region of `shape` in a larger buffer with gaps, backwards where asked: a view and the values it should hold.
struct Region {
  std::vector<std::byte> memory;
  View view;
};

Region region_of(const Shape& shape, std::int64_t size, const std::vector<int>& steps, bool transposed) {
  Region region;
  std::vector<std::size_t> axes(shape.size());
  for (std::size_t i = 0; i < axes.size(); ++i) axes[i] = transposed ? axes.size() - 1 - i : i;
  std::int64_t stride = size;
  std::int64_t first = 0;
  for (std::size_t i = axes.size(); i-- > 0;) {
    const std::size_t axis = axes[i];
    const std::int64_t step = steps[axis % steps.size()];
    region.view.strides[axis] = stride * step;
    if (step < 0) first -= (shape[axis] - 1) * stride * step;
    stride *= std::max<std::int64_t>(shape[axis], 1) * std::abs(step);
  }
  region.memory.assign(static_cast<std::size_t>(std::max<std::int64_t>(stride, 1)) + 64, std::byte{0xA5});
  region.view.data = region.memory.data() + std::max<std::int64_t>(first, 0);
  return region;
}

/// Element by element, by the definition of strides.
void walk(const Shape& shape, std::int64_t size, const Strides& strides, std::byte* strided, std::byte* dense,
          bool read) {
  const std::int64_t count = element_count(shape);
  for (std::int64_t flat = 0; flat < count; ++flat) {
    std::int64_t left = flat;
    std::int64_t offset = 0;
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      offset += left % shape[axis] * strides[axis];
      left /= shape[axis];
    }
    if (read)
      std::memcpy(dense + flat * size, strided + offset, static_cast<std::size_t>(size));
    else
      std::memcpy(strided + offset, dense + flat * size, static_cast<std::size_t>(size));
  }
}

void run_with_strides(const Shape& shape, const std::vector<int>& steps, bool transpose_inputs,
                      bool transpose_outputs) {
  SCOPED_TRACE(to_string(shape) + (transpose_inputs ? " inputs transposed" : "") +
               (transpose_outputs ? " outputs transposed" : "") + " first step " + std::to_string(steps[0]));
  const Program program = program_with_every_kind_of_output();
  const CompiledProgram compiled(program);
  std::map<std::string, OracleArray> names;
  std::vector<Region> inputs;
  std::vector<ConstView> views;
  for (unsigned i = 0; i < 2; ++i) {
    auto values = random_values(DType::kFloat32, element_count(shape), 20 + i);
    values.shape = shape;
    inputs.push_back(region_of(shape, 4, i == 0 ? steps : std::vector<int>{1}, transpose_inputs));
    walk(shape, 4, inputs[i].view.strides, inputs[i].view.data, values.bytes.data(), false);
    views.push_back({inputs[i].view.data, inputs[i].view.strides});
    names[i == 0 ? "a" : "b"] = values;
  }
  std::vector<Region> outputs;
  std::vector<View> targets;
  for (const ValueId value : program.outputs) {
    outputs.push_back(region_of(shape, item_size(program.dtype_of(value)), steps, transpose_outputs));
    targets.push_back(outputs.back().view);
  }
  std::vector<std::byte> workspace(static_cast<std::size_t>(compiled.workspace().count()));
  compiled.run(shape, views, targets, workspace);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto want = oracle::evaluate(kExpressions[i], names);
    std::vector<std::byte> got(want.bytes.size());
    walk(shape, item_size(want.dtype), targets[i].strides, targets[i].data, got.data(), true);
    std::size_t wrong = 0;
    for (std::size_t k = 0; k < got.size() / static_cast<std::size_t>(item_size(want.dtype)); ++k) {
      if (want.dtype == DType::kFloat32) {
        float g;
        std::memcpy(&g, got.data() + 4 * k, 4);
        wrong += testing::ulps(g, want.as<float>()[k], DType::kFloat32) != 0;
      } else {
        wrong += got[k] != want.bytes[k];
      }
    }
    EXPECT_EQ(wrong, 0U) << "in output " << i;
  }
}

TEST(CompiledProgram, ComputesShapesOfEveryRankAndAnyStrides) {
  const std::vector<Shape> shapes = {
      {},          {0},       {1},       {7},          {1023},       {1024},
      {1025},      {2049},    {3, 0, 2}, {5, 3},       {1000, 3},    {3, 1000},
      {40, 60, 3}, {2, 1, 9}, {6, 300},  {2, 3, 4, 5}, {1, 1, 1, 1}, {2, 2, 2, 2, 2, 2, 2, 2, 3}};
  for (const Shape& shape : shapes)
    for (const bool in : {false, true})
      for (const bool out : {false, true}) {
        run_with_strides(shape, {1}, in, out);
        run_with_strides(shape, {-1}, in, out);
        run_with_strides(shape, {2, -3, 1}, in, out);
      }
}

TEST(CompiledProgram, BroadcastsByStrideZero) {
  const auto program = testing::program_of(Function::kSubtract, DType::kFloat64, DType::kFloat64);
  for (const auto& [a, b] : std::vector<std::pair<Shape, Shape>>{{{300, 1}, {1, 700}},
                                                                 {{1, 700}, {300, 1}},
                                                                 {{}, {300, 700}},
                                                                 {{300, 700}, {1}},
                                                                 {{}, {}},
                                                                 {{50, 1, 3}, {1, 40, 1}},
                                                                 {{1, 1}, {4, 2000}}}) {
    auto first = random_values(DType::kFloat64, element_count(a), 1);
    auto second = random_values(DType::kFloat64, element_count(b), 2);
    first.shape = a;
    second.shape = b;
    const auto got = testing::run(program, broadcast_shapes(a, b), {first, second}).front();
    const auto want = oracle::evaluate("a - b", {{"a", first}, {"b", second}});
    ASSERT_EQ(got.bytes.size(), want.bytes.size());
    for (std::size_t i = 0; i < got.as<double>().size(); ++i)
      ASSERT_EQ(testing::ulps(got.as<double>()[i], want.as<double>()[i], DType::kFloat64), 0) << to_string(a) << i;
  }
}

/// Every floating function of arity 1 and 2 in one program, as a sample of all kernels.
TEST(CompiledProgram, GivesAnElementTheSameBitsWhereverItIs) {
  for (int f = 0; f < kFunctionCount; ++f)
    for (const DType dtype : {DType::kFloat32, DType::kFloat64, DType::kInt16}) {
      const auto function = static_cast<Function>(f);
      if (function == Function::kAstype || function == Function::kWhere || !testing::takes(function, dtype)) continue;
      const auto program = testing::program_of(function, dtype, testing::result_of(function, dtype));
      const auto size = static_cast<std::size_t>(item_size(dtype));
      const auto result_size = static_cast<std::size_t>(item_size(testing::result_of(function, dtype)));
      auto values = testing::awkward_values(dtype);
      const auto more = random_values(dtype, 1500, 5);
      values.bytes.insert(values.bytes.end(), more.bytes.begin(), more.bytes.end());
      const std::size_t count = values.bytes.size() / size;
      values.shape = {static_cast<std::int64_t>(count)};
      const std::vector<OracleArray> operands(program.inputs.size(), values);
      const auto whole = testing::run(program, values.shape, operands).front();
      std::mt19937 random(9);
      for (int trial = 0; trial < 40; ++trial) {
        const std::size_t first = random() % count;
        const std::size_t length = 1 + random() % std::min<std::size_t>(count - first, 70);
        OracleArray part{dtype, {static_cast<std::int64_t>(length)}, {}};
        part.bytes.assign(values.bytes.begin() + static_cast<std::ptrdiff_t>(first * size),
                          values.bytes.begin() + static_cast<std::ptrdiff_t>((first + length) * size));
        const auto got =
            testing::run(program, part.shape, std::vector<OracleArray>(program.inputs.size(), part)).front();
        ASSERT_EQ(std::memcmp(got.bytes.data(), whole.bytes.data() + first * result_size, got.bytes.size()), 0)
            << facts(function).name << " " << to_string(dtype) << " at " << first << ", " << length << " elements";
      }
    }
}

TEST(CompiledProgram, DividesByAConstantWithTheBitsOfADivision) {
  for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
    const auto values = random_values(dtype, 200000, 3);
    for (const double constant : {1.0, 3.0, 100.0, 0.611, -7e-5, 1e30, 0.0})
      for (const bool constant_first : {false, true}) {
        Program program;
        program.inputs = {dtype};
        program.constants = {convert({DType::kFloat64, constant}, dtype)};
        Instruction divide{Function::kDivide, dtype, dtype, {0, 1}};
        if (constant_first) divide.operands = {1, 0};
        program.instructions = {divide};
        program.outputs = {2};
        const auto got = testing::run(program, values.shape, {values}).front();
        for (std::size_t i = 0; i < 200000; ++i) {
          const double x = testing::element(values, i);
          const double c = std::get<double>(program.constants[0].value);
          const double want = dtype == DType::kFloat32
                                  ? double{constant_first ? static_cast<float>(c) / static_cast<float>(x)
                                                          : static_cast<float>(x) / static_cast<float>(c)}
                                  : (constant_first ? c / x : x / c);
          ASSERT_EQ(testing::ulps(testing::element(got, i), want, dtype), 0) << x << " and " << c;
        }
      }
  }
}

TEST(CompiledProgram, InvertsEveryMantissaAsTheDivideInstructionDoes) {
  Program program;
  program.inputs = {DType::kFloat32};
  program.constants = {{DType::kFloat32, 1.0}};
  program.instructions = {{Function::kDivide, DType::kFloat32, DType::kFloat32, {1, 0}}};
  program.outputs = {2};
  std::vector<float> values(1 << 23);
  for (std::uint32_t i = 0; i < values.size(); ++i) {
    const std::uint32_t bits = 0x3F800000U | i;
    std::memcpy(&values[i], &bits, 4);
  }
  const auto input = oracle::oracle_array<float>(DType::kFloat32, {1 << 23}, values);
  const auto got = testing::run(program, input.shape, {input}).front();
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(got.as<float>()[i], 1.0F / values[i]) << i;
}

TEST(CompiledProgram, InvertsTheHardestDoublesAsTheDivideInstructionDoes) {
  Program program;
  program.inputs = {DType::kFloat64};
  program.constants = {{DType::kFloat64, 1.0}};
  program.instructions = {{Function::kDivide, DType::kFloat64, DType::kFloat64, {1, 0}}};
  program.outputs = {2};
  std::vector<double> values;
  for (std::uint64_t i = 0; i < 1000000; ++i)  // 1 / b lies closest to a tie where b is just below a power of two
    for (const std::uint64_t bits : {0x3FFFFFFFFFFFFFFFULL - i, 0x3FF0000000000000ULL + i})
      values.push_back(__builtin_bit_cast(double, bits));
  const auto input = oracle::oracle_array<double>(DType::kFloat64, {static_cast<std::int64_t>(values.size())}, values);
  const auto got = testing::run(program, input.shape, {input}).front();
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(got.as<double>()[i], 1.0 / values[i]) << i;
}

TEST(CompiledProgram, ReusesTilesInLongPrograms) {
  Program program;
  program.inputs = {DType::kInt64};
  program.instructions.push_back({Function::kPositive, DType::kInt64, DType::kInt64, {0}});
  for (ValueId i = 1; i < 2000; ++i)
    program.instructions.push_back({Function::kAdd, DType::kInt64, DType::kInt64, {i, 0}});
  program.outputs = {2000};
  EXPECT_LT(CompiledProgram(program).workspace(), Bytes(64 * 1024));
  const auto values = random_values(DType::kInt64, 3000, 4);
  const auto got = testing::run(program, values.shape, {values}).front();
  EXPECT_EQ(got.bytes, oracle::evaluate("a * 2000", {{"a", values}}).bytes);
}

TEST(CompiledProgram, RefusesProgramsThatAreNotWellFormed) {
  const auto f = DType::kFloat32;
  Program reads_ahead;
  reads_ahead.inputs = {f};
  reads_ahead.instructions = {{Function::kAdd, f, f, {0, 1}}};
  EXPECT_THROW(CompiledProgram{reads_ahead}, InternalError);
  Program wrong_dtype;
  wrong_dtype.inputs = {f, DType::kFloat64};
  wrong_dtype.instructions = {{Function::kAdd, f, f, {0, 1}}};
  wrong_dtype.outputs = {2};
  EXPECT_THROW(CompiledProgram{wrong_dtype}, InternalError);
  Program not_taken = testing::program_of(Function::kSin, DType::kInt32, DType::kInt32);
  EXPECT_THROW(CompiledProgram{not_taken}, InternalError);
  Program no_output = testing::program_of(Function::kAdd, f, f);
  no_output.outputs = {9};
  EXPECT_THROW(CompiledProgram{no_output}, InternalError);
}

TEST(CompiledProgram, LeavesOutWhatNoOutputNeeds) {
  Program program = testing::program_of(Function::kAdd, DType::kFloat32, DType::kFloat32);
  program.instructions.push_back({Function::kSin, DType::kFloat32, DType::kFloat32, {2}});
  const auto small = CompiledProgram(testing::program_of(Function::kAdd, DType::kFloat32, DType::kFloat32)).workspace();
  EXPECT_LE(CompiledProgram(program).workspace(), small + Bytes(64));
}

TEST(Program, SurvivesTheArchive) {
  Program program = program_with_every_kind_of_output();
  program.constants.push_back({DType::kInt64, std::int64_t{-5}});
  program.constants.push_back({DType::kUInt64, ~std::uint64_t{0}});
  program.constants.push_back({DType::kBool, true});
  ArchiveWriter first;
  program.put(first);
  ArchiveReader reader(first.bytes());
  const Program copy = Program::get(reader);
  EXPECT_TRUE(reader.done());
  ArchiveWriter second;
  copy.put(second);
  EXPECT_EQ(first.take(), second.take());
  EXPECT_EQ(std::get<std::uint64_t>(copy.constants[2].value), ~std::uint64_t{0});
  EXPECT_EQ(copy.dtype_of(4), DType::kUInt64);
}

}  // namespace
}  // namespace brim::kernels
