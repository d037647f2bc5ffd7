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

// a b + c and c - a b, with one rounding where the CPU can. xsimd 8 does not know these instructions of AVX-512.
#if defined(__AVX512F__)
inline Batch<float> multiply_add(Batch<float> a, Batch<float> b, Batch<float> c) { return _mm512_fmadd_ps(a, b, c); }
inline Batch<double> multiply_add(Batch<double> a, Batch<double> b, Batch<double> c) {
  return _mm512_fmadd_pd(a, b, c);
}
inline Batch<float> subtract_product(Batch<float> c, Batch<float> a, Batch<float> b) {
  return _mm512_fnmadd_ps(a, b, c);
}
inline Batch<double> subtract_product(Batch<double> c, Batch<double> a, Batch<double> b) {
  return _mm512_fnmadd_pd(a, b, c);
}
#else
template <typename T>
Batch<T> multiply_add(Batch<T> a, Batch<T> b, Batch<T> c) {
  return xsimd::fma(a, b, c);
}
template <typename T>
Batch<T> subtract_product(Batch<T> c, Batch<T> a, Batch<T> b) {
  return xsimd::fnma(a, b, c);
}
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
