#pragma once

#include "kernels/simd/batch.h"

/// Division at several times the speed of the AVX-512 divide instructions, with the same bits: a reciprocal refined by
/// Newton's steps, a quotient, and its correction by the exact remainder (Markstein). Where an operand is so small or
/// large that the remainder might not be exact, the whole batch goes through the divide instruction.
namespace brim::kernels::BRIM_SIMD {
namespace {

/// Every |a| is within 2^-63 .. 2^65 (float32) or 2^-511 .. 2^513 (float64): the two upper bits of the exponent differ,
/// which adding to the lower one shows in the upper one. Not so for zeros, NaN and infinities.
inline bool all_moderate(Batch<float> a) {
  const __m512i raised = _mm512_add_epi32(_mm512_castps_si512(a), _mm512_set1_epi32(1 << 29));
  return _mm512_testn_epi32_mask(raised, _mm512_set1_epi32(1 << 30)) == 0;
}
inline bool all_moderate(Batch<double> a) {
  const __m512i raised = _mm512_add_epi64(_mm512_castpd_si512(a), _mm512_set1_epi64(std::int64_t{1} << 61));
  return _mm512_testn_epi64_mask(raised, _mm512_set1_epi64(std::int64_t{1} << 62)) == 0;
}

/// The method's one exception is a divisor whose mantissa is all ones: no lane may be that or not moderate.
inline bool all_divisors(Batch<float> b) {
  const __m512i next = _mm512_add_epi32(_mm512_castps_si512(b), _mm512_set1_epi32(1));
  return all_moderate(b) && _mm512_testn_epi32_mask(next, _mm512_set1_epi32((1 << 23) - 1)) == 0;
}
inline bool all_divisors(Batch<double> b) {
  const __m512i next = _mm512_add_epi64(_mm512_castpd_si512(b), _mm512_set1_epi64(1));
  return all_moderate(b) && _mm512_testn_epi64_mask(next, _mm512_set1_epi64((std::int64_t{1} << 52) - 1)) == 0;
}

inline Batch<float> refine_reciprocal(Batch<float> b, Batch<float> y) {
  return multiply_add(y, subtract_product(Batch<float>(1.0F), b, y), y);
}
inline Batch<double> refine_reciprocal(Batch<double> b, Batch<double> y) {
  return multiply_add(y, subtract_product(Batch<double>(1.0), b, y), y);
}

/// 1 / b as the divide instruction rounds it, for good divisors.
inline Batch<float> reciprocal(Batch<float> b) {
  return refine_reciprocal(b, refine_reciprocal(b, Batch<float>(_mm512_rcp14_ps(b))));
}
inline Batch<double> reciprocal(Batch<double> b) {
  const Batch<double> y = refine_reciprocal(b, Batch<double>(_mm512_rcp14_pd(b)));
  return refine_reciprocal(b, refine_reciprocal(b, y));
}

/// a / b from y = 1 / b.
template <typename T>
Batch<T> divide_moderate(Batch<T> a, Batch<T> b, Batch<T> y) {
  const Batch<T> quotient = a * y;
  return multiply_add(subtract_product(a, b, quotient), y, quotient);
}

template <typename T>
struct QuotientOfTiles {
  static Batch<T> of(Batch<T> a, Batch<T> b) {
    if (!(all_moderate(a) && all_divisors(b))) return a / b;
    return divide_moderate(a, b, reciprocal(b));
  }
};

template <typename T>
void invert_tile(const T* __restrict b, T* __restrict out, std::int64_t count) {
  const Batch<T> one(T{1});
  const auto inverse = [&](Batch<T> divisor) { return all_divisors(divisor) ? reciprocal(divisor) : one / divisor; };
  std::int64_t i = 0;
  for (; i + kLanes<T> <= count; i += kLanes<T>) inverse(Batch<T>::load_unaligned(b + i)).store_unaligned(out + i);
  if (i < count) Tail<T>::store(inverse(Tail<T>(b + i, count - i).load()), out + i, count - i);
}

template <typename T>
void divide_scalar_by_tile(const std::byte* const* operands, std::byte* result, std::int64_t count) {
  const Batch<T> a(*reinterpret_cast<const T*>(operands[0]));
  const T* __restrict b = reinterpret_cast<const T*>(operands[1]);
  T* __restrict out = reinterpret_cast<T*>(result);
  if (*reinterpret_cast<const T*>(operands[0]) == T{1}) return invert_tile(b, out, count);
  const bool moderate = all_moderate(a);
  const auto quotient = [&](Batch<T> divisor) {
    if (!(moderate && all_divisors(divisor))) return a / divisor;
    return divide_moderate(a, divisor, reciprocal(divisor));
  };
  std::int64_t i = 0;
  for (; i + kLanes<T> <= count; i += kLanes<T>) quotient(Batch<T>::load_unaligned(b + i)).store_unaligned(out + i);
  if (i < count) Tail<T>::store(quotient(Tail<T>(b + i, count - i).load()), out + i, count - i);
}

template <typename T>
void divide_tile_by_scalar(const std::byte* const* operands, std::byte* result, std::int64_t count) {
  const T* __restrict a = reinterpret_cast<const T*>(operands[0]);
  const Batch<T> b(*reinterpret_cast<const T*>(operands[1]));
  T* __restrict out = reinterpret_cast<T*>(result);
  const bool moderate = all_divisors(b);
  const Batch<T> y = Batch<T>(T{1}) / b;
  const auto quotient = [&](Batch<T> dividend) {
    if (!(moderate && all_moderate(dividend))) return dividend / b;
    return divide_moderate(dividend, b, y);
  };
  std::int64_t i = 0;
  for (; i + kLanes<T> <= count; i += kLanes<T>) quotient(Batch<T>::load_unaligned(a + i)).store_unaligned(out + i);
  if (i < count) Tail<T>::store(quotient(Tail<T>(a + i, count - i).load()), out + i, count - i);
}

template <typename T>
Kernel fast_division_kernel(Form form) {
  switch (form) {
    case Form::kFirstIsScalar:
      return divide_scalar_by_tile<T>;
    case Form::kSecondIsScalar:
      return divide_tile_by_scalar<T>;
    case Form::kTiles:
      return batch_binary<QuotientOfTiles<T>, T>;
  }
  return nullptr;
}

}  // namespace
}  // namespace brim::kernels::BRIM_SIMD
