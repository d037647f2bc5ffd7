#include "kernels/single_function.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace brim::kernels::testing {
namespace {

template <typename T>
oracle::OracleArray of(DType dtype, const std::vector<T>& values) {
  return oracle::oracle_array<T>(dtype, {static_cast<std::int64_t>(values.size())}, values);
}

template <typename T>
std::vector<T> awkward_floats() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> values;
  for (const double x : {0.0,
                         0.1,
                         0.25,
                         0.5,
                         0.7,
                         1.0,
                         1.5,
                         2.0,
                         2.5,
                         3.0,
                         3.5,
                         7.0,
                         10.0,
                         20.0,
                         31.0,
                         53.0,
                         64.0,
                         88.5,
                         88.8,
                         89.0,
                         100.0,
                         103.9,
                         127.0,
                         128.0,
                         200.0,
                         255.0,
                         256.0,
                         300.0,
                         400.7,
                         708.5,
                         709.7,
                         710.0,
                         745.0,
                         746.0,
                         32767.0,
                         32768.0,
                         65535.0,
                         65536.0,
                         1e5,
                         823550.0,
                         2147483647.0,
                         2147483648.0,
                         4294967295.0,
                         4294967296.0,
                         1e10,
                         1e15,
                         9223372036854775807.0,
                         18446744073709551615.0,
                         1e22,
                         1e30})
    values.insert(values.end(), {static_cast<T>(x), static_cast<T>(-x)});
  for (const T x : {Limits::infinity(), Limits::max(), Limits::min(), Limits::denorm_min(), Limits::min() / 2,
                    Limits::epsilon(), T{1} - Limits::epsilon() / 2, T{1} + Limits::epsilon()})
    values.insert(values.end(), {x, -x});
  values.push_back(Limits::quiet_NaN());
  return values;
}

template <typename T>
std::vector<T> awkward_integers() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> values;
  for (const int x : {0, 1, 2, 3, 5, 7, 8, 15, 16, 31, 32, 33, 63, 64, 65, 100, 127})
    values.insert(values.end(), {static_cast<T>(x), static_cast<T>(-x)});
  values.insert(values.end(), {Limits::min(), Limits::max(), static_cast<T>(Limits::min() + 1),
                               static_cast<T>(Limits::max() - 1), static_cast<T>(Limits::max() / 2)});
  return values;
}

template <typename T>
oracle::OracleArray random_of(DType dtype, std::int64_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<T> values(static_cast<std::size_t>(count));
  for (T& value : values) {
    const std::uint64_t bits = random();
    std::memcpy(&value, &bits, sizeof value);
    if constexpr (std::is_floating_point_v<T>) {
      const double uniform = static_cast<double>(random() >> 11) * 0x1p-53 - 0.5;
      if (bits >> 63) value = static_cast<T>(uniform * std::exp2(static_cast<double>(bits % 24) - 4));
    } else if (bits >> 62 == 0) {
      value = static_cast<T>(value % 9);
    }
  }
  return of<T>(dtype, values);
}

/// Calls f(T{}) for the C++ type of the dtype; bool comes as std::uint8_t.
template <typename F>
auto with_type(DType dtype, F f) {
  switch (dtype) {
    case DType::kInt8:
      return f(std::int8_t{});
    case DType::kInt16:
      return f(std::int16_t{});
    case DType::kInt32:
      return f(std::int32_t{});
    case DType::kInt64:
      return f(std::int64_t{});
    case DType::kUInt16:
      return f(std::uint16_t{});
    case DType::kUInt32:
      return f(std::uint32_t{});
    case DType::kUInt64:
      return f(std::uint64_t{});
    case DType::kFloat32:
      return f(float{});
    case DType::kFloat64:
      return f(double{});
    default:
      return f(std::uint8_t{});
  }
}

}  // namespace

ConstView view_of(const oracle::OracleArray& array, const Shape& shape) {
  const Strides own = contiguous_strides(array.shape, item_size(array.dtype));
  ConstView view{array.bytes.data(), {}};
  const std::size_t shift = shape.size() - array.shape.size();
  for (std::size_t axis = 0; axis < array.shape.size(); ++axis)
    if (array.shape[axis] != 1) view.strides[axis + shift] = own[axis];
  return view;
}

Program program_of(Function function, DType operand_dtype, DType result_dtype) {
  Program program;
  const int arity = facts(function).arity;
  Instruction instruction{function, operand_dtype, result_dtype, {}};
  for (int i = 0; i < arity; ++i) {
    program.inputs.push_back(function == Function::kWhere && i == 0 ? DType::kBool : operand_dtype);
    instruction.operands[static_cast<std::size_t>(i)] = static_cast<ValueId>(i);
  }
  program.instructions = {instruction};
  program.outputs = {static_cast<ValueId>(arity)};
  return program;
}

DType result_of(Function function, DType operand_dtype) {
  return facts(function).gives == Gives::kBool ? DType::kBool : operand_dtype;
}

bool takes(Function function, DType operand_dtype) {
  switch (facts(function).accepts) {
    case Accepts::kBool:
      return is_bool(operand_dtype);
    case Accepts::kInteger:
      return is_integer(operand_dtype);
    case Accepts::kIntegerOrBool:
      return !is_floating(operand_dtype);
    case Accepts::kRealFloating:
      return is_floating(operand_dtype);
    case Accepts::kRealNumeric:
      return is_numeric(operand_dtype);
    case Accepts::kAny:
      return true;
  }
  return false;
}

std::vector<oracle::OracleArray> run(const Program& program, const Shape& shape,
                                     const std::vector<oracle::OracleArray>& inputs) {
  std::vector<oracle::OracleArray> results;
  std::vector<View> outputs;
  for (const ValueId value : program.outputs) {
    const DType dtype = program.dtype_of(value);
    results.push_back({dtype, shape, {}});
    results.back().bytes.resize(static_cast<std::size_t>(element_count(shape) * item_size(dtype)));
    outputs.push_back({results.back().bytes.data(), contiguous_strides(shape, item_size(dtype))});
  }
  std::vector<ConstView> views;
  for (const auto& input : inputs) views.push_back(view_of(input, shape));
  const CompiledProgram compiled(program);
  std::vector<std::byte> workspace(static_cast<std::size_t>(compiled.workspace().count()));
  compiled.run(shape, views, outputs, workspace);
  return results;
}

oracle::OracleArray awkward_values(DType dtype) {
  if (is_bool(dtype)) return of<std::uint8_t>(dtype, {0, 1});
  return with_type(dtype, [&]<typename T>(T) {
    if constexpr (std::is_floating_point_v<T>)
      return of<T>(dtype, awkward_floats<T>());
    else
      return of<T>(dtype, awkward_integers<T>());
  });
}

oracle::OracleArray random_values(DType dtype, std::int64_t count, unsigned seed) {
  auto values = with_type(dtype, [&]<typename T>(T) { return random_of<T>(dtype, count, seed); });
  if (is_bool(dtype))
    for (std::byte& byte : values.bytes) byte &= std::byte{1};
  return values;
}

std::pair<oracle::OracleArray, oracle::OracleArray> all_pairs(const oracle::OracleArray& values) {
  const auto size = static_cast<std::size_t>(item_size(values.dtype));
  const std::size_t count = values.bytes.size() / size;
  const Shape shape{static_cast<std::int64_t>(count * count)};
  std::pair<oracle::OracleArray, oracle::OracleArray> pairs{{values.dtype, shape, {}}, {values.dtype, shape, {}}};
  for (std::size_t i = 0; i < count * count; ++i) {
    const auto append = [&](oracle::OracleArray& to, std::size_t from) {
      to.bytes.insert(to.bytes.end(), values.bytes.begin() + static_cast<std::ptrdiff_t>(from * size),
                      values.bytes.begin() + static_cast<std::ptrdiff_t>((from + 1) * size));
    };
    append(pairs.first, i / count);
    append(pairs.second, i % count);
  }
  return pairs;
}

double element(const oracle::OracleArray& array, std::size_t i) {
  return array.dtype == DType::kFloat32 ? static_cast<double>(array.as<float>()[i]) : array.as<double>()[i];
}

double ulps(double got, double want, DType dtype) {
  if (std::isnan(got) || std::isnan(want))
    return std::isnan(got) && std::isnan(want) ? 0 : std::numeric_limits<double>::infinity();
  if (got == want) return 0;
  if (std::isinf(got) || std::isinf(want)) return std::numeric_limits<double>::infinity();
  const bool narrow = dtype == DType::kFloat32;
  const double least = narrow ? double{std::numeric_limits<float>::min()} : std::numeric_limits<double>::min();
  const int exponent = std::ilogb(std::max(std::abs(want), least));
  return std::ldexp(std::abs(got - want), (narrow ? 23 : 52) - exponent);
}

}  // namespace brim::kernels::testing
