#include <fmt/core.h>

#include <memory>
#include <random>

#include "kernels/hand_written.h"
#include "kernels/large_memory.h"
#include "kernels/measurement.h"
#include "kernels/program.h"
#include "oracle/numpy_oracle.h"

namespace brim::bench {
namespace {

using kernels::Program;
using kernels::ValueId;

/// Appends instructions over one dtype.
class Builder {
 public:
  Builder(DType dtype, std::vector<double> constants) : dtype_(dtype) {
    program_.inputs = {dtype, dtype};
    for (const double c : constants) program_.constants.push_back(kernels::convert({DType::kFloat64, c}, dtype));
    next_ = static_cast<ValueId>(2 + constants.size());
  }
  ValueId add(Function function, ValueId a, ValueId b = 0) {
    program_.instructions.push_back({function, dtype_, dtype_, {a, b}});
    return next_++;
  }
  Program finish(ValueId output) {
    program_.outputs = {output};
    return program_;
  }

 private:
  DType dtype_;
  Program program_;
  ValueId next_ = 0;
};

/// es = 0.611 exp(5423 (1/273 - 1/t2)); e = es rh / 100; 1 / (1/273 - 0.0001844 log(e / 0.611)).
Program dew_point_program(DType dtype) {
  enum : ValueId { kT2, kRh, kScale, kSteepness, kFreezing, kPercent, kSlope, kOne };
  Builder builder(dtype, {0.611, 5423, 1.0 / 273, 100, 0.0001844, 1});
  const ValueId inverse = builder.add(Function::kDivide, kOne, kT2);
  const ValueId difference = builder.add(Function::kSubtract, kFreezing, inverse);
  const ValueId power = builder.add(Function::kExp, builder.add(Function::kMultiply, kSteepness, difference));
  const ValueId es = builder.add(Function::kMultiply, kScale, power);
  const ValueId e = builder.add(Function::kDivide, builder.add(Function::kMultiply, es, kRh), kPercent);
  const ValueId logarithm = builder.add(Function::kLog, builder.add(Function::kDivide, e, kScale));
  const ValueId scaled = builder.add(Function::kMultiply, kSlope, logarithm);
  return builder.finish(builder.add(Function::kDivide, kOne, builder.add(Function::kSubtract, kFreezing, scaled)));
}

template <typename T>
void hand_written(const T* t2, const T* rh, T* out, std::int64_t count) {
  if (kernels::instruction_set() == "avx512") return avx512::dew_point(t2, rh, out, count);
  if (kernels::instruction_set() == "avx2") return avx2::dew_point(t2, rh, out, count);
  baseline::dew_point(t2, rh, out, count);
}

template <typename T>
Row dew_point_row(DType dtype, std::int64_t count, int calls, const std::string& size) {
  std::mt19937 random(1);
  std::uniform_real_distribution<T> temperatures(250, 310);
  std::uniform_real_distribution<T> humidities(10, 100);
  const auto length = static_cast<std::size_t>(count);
  const auto t2 = std::make_shared<LargeVector<T>>(length);
  const auto rh = std::make_shared<LargeVector<T>>(length);
  const auto out = std::make_shared<LargeVector<T>>(length);
  const auto other = std::make_shared<LargeVector<T>>(length);
  for (T& value : *t2) value = temperatures(random);
  for (T& value : *rh) value = humidities(random);
  oracle::evaluate(
      "kept.clear() or kept.update(t2=t2.copy(), rh=rh.copy()) or 0",
      {{"t2", oracle::oracle_array<T>(dtype, {count}, *t2)}, {"rh", oracle::oracle_array<T>(dtype, {count}, *rh)}});

  const auto program = std::make_shared<kernels::CompiledProgram>(dew_point_program(dtype));
  const auto workspace = std::make_shared<std::vector<std::byte>>(program->workspace().count());
  const auto brim = [=] {
    const auto strides = kernels::contiguous_strides({count}, sizeof(T));
    const kernels::ConstView inputs[] = {{reinterpret_cast<const std::byte*>(t2->data()), strides},
                                         {reinterpret_cast<const std::byte*>(rh->data()), strides}};
    const kernels::View outputs[] = {{reinterpret_cast<std::byte*>(out->data()), strides}};
    for (int i = 0; i < calls; ++i) program->run({count}, inputs, outputs, *workspace);
  };
  const auto by_hand = [=] {
    for (int i = 0; i < calls; ++i) hand_written(t2->data(), rh->data(), other->data(), count);
  };
  const std::string t = fmt::format("np.{}", to_string(dtype));
  const std::string formula = fmt::format(
      "(lambda t2, rh: {0}(1) / ({0}(1 / 273) - {0}(0.0001844) * np.log({0}(0.611) * np.exp({0}(5423) * ({0}(1 / 273) "
      "- "
      "{0}(1) / t2)) * rh / {0}(100) / {0}(0.611))))(kept['t2'], kept['rh'])",
      t);
  auto peer = numpy(formula);
  const auto once = peer.seconds;
  peer.seconds = [once, calls] { return once() * calls; };
  return {fmt::format("dew point {}, {}", to_string(dtype), size),
          static_cast<double>(count) * calls,
          {here("brim", brim), here("hand-written", by_hand), peer}};
}

}  // namespace

void measure_dew_point(std::vector<Row>& rows) {
  const auto add = [&](Row row, int rounds) {
    measure(row, rounds);
    rows.push_back(std::move(row));
  };
  add(dew_point_row<float>(DType::kFloat32, 1 << 16, 20, "in L2"), 30);
  add(dew_point_row<double>(DType::kFloat64, 1 << 15, 20, "in L2"), 30);
  add(dew_point_row<float>(DType::kFloat32, 1 << 24, 1, "in memory"), 7);
  add(dew_point_row<double>(DType::kFloat64, 1 << 23, 1, "in memory"), 7);
}

}  // namespace brim::bench
