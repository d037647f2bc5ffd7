#include "kernels/reduce.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "core/check.h"
#include "kernels/instruction_set.h"
#include "kernels/loop_nest.h"
#include "kernels/strided_run.h"

// The error of a sum of n floating values is at most c 2^-53 times the sum of their magnitudes. Values are added in
// float64, at most 128 one after another in a lane or a column, before lanes and blocks are added in turn:
// c = 160 + log2(n) along contiguous runs, 160 + n / 4096 along others, 160 + n / 128 down columns.

namespace brim::kernels {
namespace {

constexpr std::size_t kInput = 0;
constexpr std::size_t kAccumulator = 1;
constexpr std::int64_t kBufferElements = 4096;
/// Reduced runs shorter than this are folded across, many at a time.
constexpr std::int64_t kShortRun = 32;
/// Contiguous rows shorter than this are folded several at a time.
constexpr std::int64_t kShortRow = 64;

/// Rows added one after another before they join the accumulators.
constexpr std::int64_t kRowBlock = 128;

/// Room for elements on their way from strided memory to the kernels.
struct Buffer {
  alignas(64) std::byte bytes[kBufferElements * 8];
};

/// One call of reduce_into: picks the inner loops by what is contiguous and what is reduced.
class Folding {
 public:
  Folding(Reduction reduction, DType dtype, const LoopNest& nest, ConstView input, View accumulators)
      : reduction_(reduction),
        nest_(nest),
        input_(input),
        accumulators_(accumulators),
        kernels_(kernel_set().reduce_kernels(reduction, dtype)),
        wide_(accumulator_dtype(reduction, dtype)),
        size_(item_size(dtype)),
        wide_size_(item_size(wide_)) {}

  void run() {
    const int inner = nest_.rank() - 1;
    if (inner < 0) return kernels_.fold_run(input_.data, 1, accumulators_.data);
    if (!is_reduced(inner)) return fold_columns(find_reduced_axis());
    const bool is_short = nest_.inner_extent() < kShortRun && inner > 0 && !is_reduced(inner - 1);
    return is_short ? fold_across() : fold_runs();
  }

 private:
  bool is_reduced(int axis) const { return nest_.stride(kAccumulator, axis) == 0; }

  /// The reduced axis whose rows are closest together, or -1.
  int find_reduced_axis() const {
    for (int axis = nest_.rank() - 2; axis >= 0; --axis)
      if (is_reduced(axis)) return axis;
    return -1;
  }

  /// The innermost axis is reduced: one accumulator after another takes its run.
  void fold_runs() {
    const std::int64_t length = nest_.inner_extent();
    const OuterLoops outer(nest_, {nest_.rank() - 1});
    for (std::int64_t i = 0; i < outer.size(); ++i)
      fold_run(input_.data + outer.offset(i, kInput), length, accumulators_.data + outer.offset(i, kAccumulator));
  }

  void fold_run(const std::byte* elements, std::int64_t length, std::byte* accumulator) {
    const std::int64_t stride = nest_.inner_stride(kInput);
    if (stride == size_) return kernels_.fold_run(elements, length, accumulator);
    for (std::int64_t done = 0; done < length; done += kBufferElements) {
      const std::int64_t count = std::min(kBufferElements, length - done);
      copy_run_of(size_)(count, elements + done * stride, stride, buffer_.bytes, size_);
      kernels_.fold_run(buffer_.bytes, count, accumulator);
    }
  }

  /// Short runs below a kept axis: the first elements of many runs, then the second ones, and so on.
  void fold_across() {
    const int inner = nest_.rank() - 1;
    const OuterLoops outer(nest_, {inner - 1, inner});
    for (std::int64_t i = 0; i < outer.size(); ++i)
      fold_apart({inner - 1, nest_.inner_extent(), nest_.inner_stride(kInput)}, input_.data + outer.offset(i, kInput),
                 accumulators_.data + outer.offset(i, kAccumulator));
  }

  /// The innermost axis is kept: rows along the axis `rows` (or one row) are folded into a row of accumulators.
  void fold_columns(int rows) {
    const int inner = nest_.rank() - 1;
    const std::int64_t row_count = rows < 0 ? 1 : nest_.extent(rows);
    const std::int64_t row_stride = rows < 0 ? 0 : nest_.stride(kInput, rows);
    const bool direct = nest_.inner_stride(kInput) == size_ && nest_.inner_stride(kAccumulator) == wide_size_;
    const OuterLoops outer(nest_, {rows, inner});
    for (std::int64_t i = 0; i < outer.size(); ++i) {
      const std::byte* elements = input_.data + outer.offset(i, kInput);
      std::byte* accumulators = accumulators_.data + outer.offset(i, kAccumulator);
      if (direct)
        fold_rows(elements, row_count, row_stride, accumulators);
      else
        fold_apart({inner, row_count, row_stride}, elements, accumulators);
    }
  }

  /// Rows and accumulators are contiguous. Several short rows in one piece of memory are taken as one long row.
  void fold_rows(const std::byte* elements, std::int64_t rows, std::int64_t row_stride, std::byte* accumulators) {
    const std::int64_t columns = nest_.inner_extent();
    if (columns < kShortRow && row_stride == columns * size_) {
      const std::int64_t together = 4 * kShortRow / columns;
      const std::int64_t long_rows = rows / together;
      if (long_rows > 1) {
        const std::int64_t width = together * columns;
        fill_identity_of(width, buffer_.bytes);
        kernels_.fold_rows(elements, long_rows, width * size_, width, buffer_.bytes);
        kernel_set()
            .reduce_kernels(reduction_, wide_)
            .fold_rows(buffer_.bytes, together, columns * wide_size_, columns, accumulators);
        elements += long_rows * width * size_;
        rows -= long_rows * together;
      }
    }
    kernels_.fold_rows(elements, rows, row_stride, columns, accumulators);
  }

  void fill_identity_of(std::int64_t count, std::byte* accumulators) const {
    const bool is_sum = reduction_ == Reduction::kSum || reduction_ == Reduction::kMean;
    fill_identity(is_sum ? Reduction::kSum : reduction_, wide_, count, accumulators);
  }

  /// Rows along `axis`, `count` of them.
  struct Rows {
    int axis;
    std::int64_t count;
    std::int64_t stride;
  };

  /// Rows whose elements or accumulators are apart from one another: gathered piece by piece.
  void fold_apart(const Rows& rows, const std::byte* elements, std::byte* accumulators) {
    const std::int64_t extent = nest_.extent(rows.axis);
    for (std::int64_t column = 0; column < extent; column += kBufferElements)
      for (std::int64_t row = 0; row < rows.count; row += kRowBlock)
        fold_piece({rows.axis, std::min(kRowBlock, rows.count - row), rows.stride},
                   std::min(kBufferElements, extent - column),
                   elements + column * nest_.stride(kInput, rows.axis) + row * rows.stride,
                   accumulators + column * nest_.stride(kAccumulator, rows.axis));
  }

  void fold_piece(const Rows& rows, std::int64_t columns, const std::byte* elements, std::byte* accumulators) {
    const std::int64_t stride = nest_.stride(kInput, rows.axis);
    fill_identity_of(columns, folded_.bytes);
    for (std::int64_t row = 0; row < rows.count; ++row, elements += rows.stride) {
      if (stride != size_) copy_run_of(size_)(columns, elements, stride, buffer_.bytes, size_);
      kernels_.fold_rows(stride == size_ ? elements : buffer_.bytes, 1, 0, columns, folded_.bytes);
    }
    const std::int64_t wide_stride = nest_.stride(kAccumulator, rows.axis);
    const ReduceKernels wide = kernel_set().reduce_kernels(reduction_, wide_);
    copy_run_of(wide_size_)(columns, accumulators, wide_stride, buffer_.bytes, wide_size_);
    wide.fold_rows(folded_.bytes, 1, 0, columns, buffer_.bytes);
    copy_run_of(wide_size_)(columns, buffer_.bytes, wide_size_, accumulators, wide_stride);
  }

  const Reduction reduction_;
  const LoopNest& nest_;
  const ConstView input_;
  const View accumulators_;
  const ReduceKernels kernels_;
  const DType wide_;
  const std::int64_t size_;
  const std::int64_t wide_size_;
  Buffer buffer_;
  Buffer folded_;
};

template <typename T>
void fill_extreme(bool largest, std::int64_t count, std::byte* accumulators) {
  using Limits = std::numeric_limits<T>;
  const T low = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  const T high = Limits::has_infinity ? Limits::infinity() : Limits::max();
  std::fill_n(reinterpret_cast<T*>(accumulators), count, largest ? high : low);
}

template <typename T>
void divide_all(std::int64_t count, double divisor, const std::byte* accumulators, std::byte* results) {
  for (std::int64_t i = 0; i < count; ++i)
    reinterpret_cast<T*>(results)[i] = static_cast<T>(reinterpret_cast<const double*>(accumulators)[i] / divisor);
}

}  // namespace

void fill_identity(Reduction reduction, DType dtype, std::int64_t count, std::byte* accumulators) {
  const auto bytes = static_cast<std::size_t>(count * item_size(accumulator_dtype(reduction, dtype)));
  if (reduction == Reduction::kSum || reduction == Reduction::kMean) {
    if (count > 0) std::memset(accumulators, 0, bytes);
    return;
  }
  const bool largest = reduction == Reduction::kMin;
  switch (dtype) {
    case DType::kBool:
      return fill_extreme<bool>(largest, count, accumulators);
    case DType::kInt8:
      return fill_extreme<std::int8_t>(largest, count, accumulators);
    case DType::kInt16:
      return fill_extreme<std::int16_t>(largest, count, accumulators);
    case DType::kInt32:
      return fill_extreme<std::int32_t>(largest, count, accumulators);
    case DType::kInt64:
      return fill_extreme<std::int64_t>(largest, count, accumulators);
    case DType::kUInt8:
      return fill_extreme<std::uint8_t>(largest, count, accumulators);
    case DType::kUInt16:
      return fill_extreme<std::uint16_t>(largest, count, accumulators);
    case DType::kUInt32:
      return fill_extreme<std::uint32_t>(largest, count, accumulators);
    case DType::kUInt64:
      return fill_extreme<std::uint64_t>(largest, count, accumulators);
    case DType::kFloat32:
      return fill_extreme<float>(largest, count, accumulators);
    case DType::kFloat64:
      return fill_extreme<double>(largest, count, accumulators);
  }
}

void reduce_into(Reduction reduction, DType dtype, const Shape& shape, const AxisMask& reduced, ConstView input,
                 View accumulators) {
  check(reduced.size() == shape.size(), "a reduction's mask has an entry per axis");
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    check(!reduced[axis] || accumulators.strides[axis] == 0, "accumulators repeat along reduced axes");
  const LoopNest nest(shape, {input.strides, accumulators.strides});
  if (nest.size() > 0) Folding(reduction, dtype, nest, input, accumulators).run();
}

void combine_into(Reduction reduction, DType dtype, const Shape& shape, const AxisMask& reduced, ConstView input,
                  View accumulators) {
  reduce_into(reduction, accumulator_dtype(reduction, dtype), shape, reduced, input, accumulators);
}

void finish(Reduction reduction, DType dtype, std::int64_t count, std::int64_t reduced_count,
            const std::byte* accumulators, std::byte* results) {
  const DType wide = accumulator_dtype(reduction, dtype);
  const bool is_mean = reduction == Reduction::kMean;
  if (!is_mean && wide == reduced_dtype(reduction, dtype)) {
    if (count > 0) std::memcpy(results, accumulators, static_cast<std::size_t>(count * item_size(wide)));
    return;
  }
  const double divisor = is_mean ? static_cast<double>(reduced_count) : 1.0;
  if (reduced_dtype(reduction, dtype) == DType::kFloat32)
    return divide_all<float>(count, divisor, accumulators, results);
  divide_all<double>(count, divisor, accumulators, results);
}

}  // namespace brim::kernels
