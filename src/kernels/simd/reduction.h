#pragma once

#include "kernels/simd/loops.h"

/// Reductions. The order in which elements are combined is that of 32 lanes and does not depend on the instruction
/// set, so that all sets give the same bits.
namespace brim::kernels::BRIM_SIMD {
namespace {

inline constexpr std::int64_t kBlock = 4096;    ///< elements summed lane by lane; blocks are added pairwise
inline constexpr std::int64_t kColumns = 512;   ///< columns folded at a time, so that their partial sums stay near
inline constexpr std::int64_t kRowBlock = 128;  ///< rows summed one after another before they join the accumulators

template <typename T, int count>
struct Lanes {
  typedef T Type __attribute__((vector_size(count * sizeof(T))));
};
template <typename T, int count>
using Vector = typename Lanes<T, count>::Type;

inline constexpr std::int64_t kCacheLine = 64;
inline constexpr std::int64_t kAhead = 2048;  ///< bytes fetched ahead: the CPU's own prefetching ends at each page

[[gnu::always_inline]] inline void fetch_row(const std::byte* row, std::int64_t bytes) {
  for (std::int64_t byte = 0; byte < bytes; byte += kCacheLine) __builtin_prefetch(row + byte);
}

/// Fetches the bytes kAhead after `from`. Inlined by force: GCC drops calls of functions that only prefetch.
[[gnu::always_inline]] inline void fetch_ahead(const void* from, std::int64_t bytes) {
  for (std::int64_t byte = 0; byte < bytes; byte += kCacheLine)
    __builtin_prefetch(static_cast<const char*>(from) + kAhead + byte);
}

template <typename V>
void load(V& vector, const void* from) {
  __builtin_memcpy(&vector, from, sizeof(V));
}

/// The sum of up to kBlock elements.
template <typename T, typename Sum>
Sum sum_block(const T* elements, std::int64_t count) {
  using In = Vector<T, 8>;
  using Out = Vector<Sum, 8>;
  Out sums[4] = {};
  std::int64_t i = 0;
  for (; i + 32 <= count; i += 32) {
    fetch_ahead(elements + i, 32 * sizeof(T));
    In in[4];
    for (int j = 0; j < 4; ++j) load(in[j], elements + i + 8 * j);
    for (int j = 0; j < 4; ++j) sums[j] += __builtin_convertvector(in[j], Out);
  }
  const Out lanes = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  Sum rest = 0;
  for (; i < count; ++i) rest += static_cast<Sum>(elements[i]);
  return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7])) + rest;
}

template <typename T, typename Sum>
Sum sum_pairwise(const T* elements, std::int64_t count) {
  if (count <= kBlock) return sum_block<T, Sum>(elements, count);
  const std::int64_t half = (count / kBlock + 1) / 2 * kBlock;
  return sum_pairwise<T, Sum>(elements, half) + sum_pairwise<T, Sum>(elements + half, count - half);
}

template <typename T, typename Sum>
struct Summing {
  static void fold_run(const std::byte* elements, std::int64_t count, std::byte* accumulator) {
    *reinterpret_cast<Sum*>(accumulator) += sum_pairwise<T, Sum>(reinterpret_cast<const T*>(elements), count);
  }

  static void fold_rows(const std::byte* elements, std::int64_t rows, std::int64_t row_stride, std::int64_t count,
                        std::byte* accumulators) {
    for (std::int64_t row = 0; row < rows; row += kRowBlock)
      for (std::int64_t column = 0; column < count; column += kColumns)
        fold_tile(elements + row * row_stride + column * static_cast<std::int64_t>(sizeof(T)),
                  rows - row < kRowBlock ? rows - row : kRowBlock, row_stride,
                  count - column < kColumns ? count - column : kColumns, reinterpret_cast<Sum*>(accumulators) + column);
  }

 private:
  static void fold_tile(const std::byte* elements, std::int64_t rows, std::int64_t row_stride, std::int64_t count,
                        Sum* __restrict accumulators) {
    Sum sums[kColumns];
    for (std::int64_t i = 0; i < count; ++i) sums[i] = 0;
    std::int64_t row = 0;
    for (; row + 4 <= rows; row += 4) {
      for (std::int64_t next = row + 4; next < row + 8 && next < rows; ++next)
        fetch_row(elements + next * row_stride, count * static_cast<std::int64_t>(sizeof(T)));
      const T* __restrict a = reinterpret_cast<const T*>(elements + row * row_stride);
      const T* __restrict b = reinterpret_cast<const T*>(elements + (row + 1) * row_stride);
      const T* __restrict c = reinterpret_cast<const T*>(elements + (row + 2) * row_stride);
      const T* __restrict d = reinterpret_cast<const T*>(elements + (row + 3) * row_stride);
      for (std::int64_t i = 0; i < count; ++i)
        sums[i] +=
            (static_cast<Sum>(a[i]) + static_cast<Sum>(b[i])) + (static_cast<Sum>(c[i]) + static_cast<Sum>(d[i]));
    }
    for (; row < rows; ++row) {
      const T* __restrict a = reinterpret_cast<const T*>(elements + row * row_stride);
      for (std::int64_t i = 0; i < count; ++i) sums[i] += static_cast<Sum>(a[i]);
    }
    for (std::int64_t i = 0; i < count; ++i) accumulators[i] += sums[i];
  }
};

struct Least {
  /// The smaller; NaN wins.
  template <typename T>
  static T of(T kept, T next) {
    return (next < kept || next != next) ? next : kept;
  }
  template <typename V>
  static void fold(V& kept, const V& next) {
    kept = ((next < kept) | (next != next)) ? next : kept;
  }
};

struct Greatest {
  template <typename T>
  static T of(T kept, T next) {
    return (next > kept || next != next) ? next : kept;
  }
  template <typename V>
  static void fold(V& kept, const V& next) {
    kept = ((next > kept) | (next != next)) ? next : kept;
  }
};

template <typename Choice, typename T>
struct Choosing {
  static void fold_run(const std::byte* elements, std::int64_t count, std::byte* accumulator) {
    constexpr std::int64_t kWidth = 64 / sizeof(T);
    using V = Vector<T, kWidth>;
    const T* a = reinterpret_cast<const T*>(elements);
    T kept = *reinterpret_cast<const T*>(accumulator);
    std::int64_t i = 0;
    if (count >= 4 * kWidth) {
      V best[4];
      for (int j = 0; j < 4; ++j) load(best[j], a + j * kWidth);
      for (i = 4 * kWidth; i + 4 * kWidth <= count; i += 4 * kWidth) {
        fetch_ahead(a + i, 4 * kCacheLine);
        for (int j = 0; j < 4; ++j) {
          V next;
          load(next, a + i + j * kWidth);
          Choice::fold(best[j], next);
        }
      }
      for (int j = 1; j < 4; ++j) Choice::fold(best[0], best[j]);
      for (std::int64_t lane = 0; lane < kWidth; ++lane) kept = Choice::of(kept, static_cast<T>(best[0][lane]));
    }
    for (; i < count; ++i) kept = Choice::of(kept, a[i]);
    *reinterpret_cast<T*>(accumulator) = kept;
  }

  static void fold_rows(const std::byte* elements, std::int64_t rows, std::int64_t row_stride, std::int64_t count,
                        std::byte* accumulators) {
    for (std::int64_t column = 0; column < count; column += kColumns) {
      T* __restrict kept = reinterpret_cast<T*>(accumulators) + column;
      const std::int64_t columns = count - column < kColumns ? count - column : kColumns;
      for (std::int64_t row = 0; row < rows; ++row) {
        const T* __restrict next = reinterpret_cast<const T*>(elements + row * row_stride) + column;
        if (row + 2 < rows)
          fetch_row(reinterpret_cast<const std::byte*>(next) + 2 * row_stride,
                    columns * static_cast<std::int64_t>(sizeof(T)));
        for (std::int64_t i = 0; i < columns; ++i) kept[i] = Choice::of(kept[i], next[i]);
      }
    }
  }
};

template <typename Folding>
ReduceKernels kernels_of() {
  return {Folding::fold_run, Folding::fold_rows};
}

template <typename T>
ReduceKernels for_type(Reduction reduction, T) {
  if (reduction == Reduction::kMin) return kernels_of<Choosing<Least, T>>();
  if (reduction == Reduction::kMax) return kernels_of<Choosing<Greatest, T>>();
  if (kFloating<T> || reduction == Reduction::kMean) return kernels_of<Summing<T, double>>();
  return kernels_of<Summing<T, std::uint64_t>>();
}

}  // namespace

ReduceKernels reduce_kernels(Reduction reduction, DType dtype) {
  switch (dtype) {
    case DType::kBool:
    case DType::kUInt8:
      return for_type(reduction, std::uint8_t{});
    case DType::kInt8:
      return for_type(reduction, std::int8_t{});
    case DType::kInt16:
      return for_type(reduction, std::int16_t{});
    case DType::kInt32:
      return for_type(reduction, std::int32_t{});
    case DType::kInt64:
      return for_type(reduction, std::int64_t{});
    case DType::kUInt16:
      return for_type(reduction, std::uint16_t{});
    case DType::kUInt32:
      return for_type(reduction, std::uint32_t{});
    case DType::kUInt64:
      return for_type(reduction, std::uint64_t{});
    case DType::kFloat32:
      return for_type(reduction, float{});
    case DType::kFloat64:
      return for_type(reduction, double{});
  }
  return {};
}

}  // namespace brim::kernels::BRIM_SIMD
