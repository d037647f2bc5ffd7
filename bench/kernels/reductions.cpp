#include <fmt/core.h>

#include <memory>
#include <random>

#include "kernels/large_memory.h"
#include "kernels/measurement.h"
#include "kernels/reduce.h"
#include "oracle/numpy_oracle.h"

namespace brim::bench {
namespace {

constexpr Reduction kAll[] = {Reduction::kSum, Reduction::kMean, Reduction::kMin, Reduction::kMax};
constexpr const char* kNames[] = {"sum", "mean", "min", "max"};

/// Reduces one axis of a three-dimensional array, from fresh accumulators to results.
template <typename T>
void reduce_axis(Reduction reduction, DType dtype, const Shape& shape, std::size_t axis, const LargeVector<T>& values,
                 std::vector<std::byte>& accumulators, std::vector<std::byte>& results) {
  Shape kept = shape;
  kept[axis] = 1;
  const std::int64_t count = element_count(kept);
  const DType wide = accumulator_dtype(reduction, dtype);
  accumulators.resize(static_cast<std::size_t>(count * item_size(wide)));
  results.resize(static_cast<std::size_t>(count * 8));
  kernels::fill_identity(reduction, dtype, count, accumulators.data());
  auto strides = kernels::contiguous_strides(kept, item_size(wide));
  strides[axis] = 0;
  kernels::AxisMask reduced(shape.size(), false);
  reduced[axis] = true;
  const auto* data = reinterpret_cast<const std::byte*>(values.data());
  kernels::reduce_into(reduction, dtype, shape, reduced, {data, kernels::contiguous_strides(shape, sizeof(T))},
                       {accumulators.data(), strides});
  kernels::finish(reduction, dtype, count, shape[axis], accumulators.data(), results.data());
}

template <typename T>
void add_rows(std::vector<Row>& rows, DType dtype, const Shape& shape) {
  const auto values = std::make_shared<LargeVector<T>>(static_cast<std::size_t>(element_count(shape)));
  std::mt19937 random(1);
  for (T& value : *values) value = static_cast<T>(random() % 1000);
  oracle::evaluate("kept.clear() or kept.update(x=x.copy()) or 0",
                   {{"x", oracle::oracle_array<T>(dtype, shape, *values)}});
  const auto accumulators = std::make_shared<std::vector<std::byte>>();
  const auto results = std::make_shared<std::vector<std::byte>>();
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      const auto call = [=, reduction = kAll[i]] {
        reduce_axis(reduction, dtype, shape, axis, *values, *accumulators, *results);
      };
      Row row{fmt::format("{} {} {}, axis {}", kNames[i], to_string(dtype), to_string(shape), axis),
              static_cast<double>(values->size()),
              {here("brim", call), numpy(fmt::format("np.{}(kept['x'], axis={})", kNames[i], axis))}};
      measure(row, 5);
      rows.push_back(std::move(row));
    }
}

}  // namespace

void measure_reductions(std::vector<Row>& rows) {
  add_rows<float>(rows, DType::kFloat32, {64, 256, 512});
  add_rows<double>(rows, DType::kFloat64, {64, 256, 512});
  add_rows<std::int32_t>(rows, DType::kInt32, {64, 256, 512});
  add_rows<float>(rows, DType::kFloat32, {1 << 20, 3});
}

}  // namespace brim::bench
