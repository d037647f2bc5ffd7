#pragma once

// The compiler's options rename xsimd to a namespace of this instruction set (see flags.cmake).
#include <xsimd/xsimd.hpp>

#include "kernels/simd/loops.h"

namespace brim::kernels::BRIM_SIMD {
namespace {

template <typename T>
using Batch = xsimd::batch<T>;
template <typename T>
inline constexpr std::int64_t kLanes = static_cast<std::int64_t>(Batch<T>::size);

#if defined(__AVX512F__)
inline constexpr bool kAvx512 = true;
#else
inline constexpr bool kAvx512 = false;
#endif

/// The last elements, fewer than a batch, padded with copies of the first: the same code computes them.
template <typename T>
struct Tail {
  Tail(const T* elements, std::int64_t count) {
    for (std::int64_t i = 0; i < kLanes<T>; ++i) padded[i] = elements[i < count ? i : 0];
  }
  Batch<T> load() const { return Batch<T>::load_aligned(padded); }
  static void store(Batch<T> values, T* out, std::int64_t count) {
    alignas(64) T whole[kLanes<T>];
    values.store_aligned(whole);
    for (std::int64_t i = 0; i < count; ++i) out[i] = whole[i];
  }
  alignas(64) T padded[kLanes<T>];
};

template <typename Op, typename T>
void batch_unary(const std::byte* const* operands, std::byte* result, std::int64_t count) {
  const T* __restrict a = reinterpret_cast<const T*>(operands[0]);
  T* __restrict out = reinterpret_cast<T*>(result);
  std::int64_t i = 0;
  for (; i + kLanes<T> <= count; i += kLanes<T>) Op::of(Batch<T>::load_unaligned(a + i)).store_unaligned(out + i);
  if (i < count) Tail<T>::store(Op::of(Tail<T>(a + i, count - i).load()), out + i, count - i);
}

template <typename Op, typename T>
void batch_binary(const std::byte* const* operands, std::byte* result, std::int64_t count) {
  const T* __restrict a = reinterpret_cast<const T*>(operands[0]);
  const T* __restrict b = reinterpret_cast<const T*>(operands[1]);
  T* __restrict out = reinterpret_cast<T*>(result);
  std::int64_t i = 0;
  for (; i + kLanes<T> <= count; i += kLanes<T>)
    Op::of(Batch<T>::load_unaligned(a + i), Batch<T>::load_unaligned(b + i)).store_unaligned(out + i);
  if (i < count)
    Tail<T>::store(Op::of(Tail<T>(a + i, count - i).load(), Tail<T>(b + i, count - i).load()), out + i, count - i);
}

}  // namespace
}  // namespace brim::kernels::BRIM_SIMD
