#include <fmt/core.h>

#include <memory>
#include <numeric>

#include "kernels/copy.h"
#include "kernels/large_memory.h"
#include "kernels/measurement.h"
#include "oracle/numpy_oracle.h"

namespace brim::bench {
namespace {

/// A copy of `source` (byte steps `strides` over `shape`) into contiguous memory, against NumPy's of the same view.
template <typename T>
void add_row(std::vector<Row>& rows, DType dtype, const std::string& name, const Shape& whole, const Shape& shape,
             const std::vector<std::int64_t>& strides, const std::string& view) {
  const auto source = std::make_shared<LargeVector<T>>(static_cast<std::size_t>(element_count(whole)));
  std::iota(source->begin(), source->end(), T{0});
  const auto destination = std::make_shared<LargeVector<T>>(static_cast<std::size_t>(element_count(shape)));
  oracle::evaluate(
      "kept.clear() or kept.update(x=x.copy()) or kept.update(out=np.empty(" + to_string(shape) + ", x.dtype)) or 0",
      {{"x", oracle::oracle_array<T>(dtype, whole, *source)}});
  const auto call = [=] {
    kernels::ConstView from{reinterpret_cast<const std::byte*>(source->data()), {}};
    for (std::size_t i = 0; i < strides.size(); ++i)
      from.strides[i] = strides[i] * static_cast<std::int64_t>(sizeof(T));
    kernels::copy(sizeof(T), shape, from,
                  {reinterpret_cast<std::byte*>(destination->data()), kernels::contiguous_strides(shape, sizeof(T))});
  };
  Row row{fmt::format("copy {} {}, {}", to_string(dtype), to_string(shape), name),
          static_cast<double>(destination->size()),
          {here("brim", call), numpy("np.copyto(kept['out'], kept['x']" + view + ")")}};
  measure(row, 7);
  rows.push_back(std::move(row));
}

template <typename T>
void add_rows(std::vector<Row>& rows, DType dtype) {
  add_row<T>(rows, dtype, "contiguous", {2048, 2048}, {2048, 2048}, {2048, 1}, "");
  add_row<T>(rows, dtype, "window of rows", {2048, 2048}, {2048, 1000}, {2048, 1}, "[:, :1000]");
  add_row<T>(rows, dtype, "every second", {2048, 2048}, {2048, 1024}, {2048, 2}, "[:, ::2]");
  add_row<T>(rows, dtype, "transposed", {2000, 3000}, {3000, 2000}, {1, 3000}, ".T");
  add_row<T>(rows, dtype, "transposed", {2048, 2048}, {2048, 2048}, {1, 2048}, ".T");
  add_row<T>(rows, dtype, "axes turned", {128, 128, 256}, {256, 128, 128}, {1, 128 * 256, 256}, ".transpose(2, 0, 1)");
}

}  // namespace

void measure_copies(std::vector<Row>& rows) {
  add_rows<std::uint8_t>(rows, DType::kUInt8);
  add_rows<float>(rows, DType::kFloat32);
  add_rows<double>(rows, DType::kFloat64);
}

}  // namespace brim::bench
