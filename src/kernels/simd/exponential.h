#pragma once

#include <limits>

#include "kernels/simd/batch.h"
#if defined(__AVX512F__)
#include "kernels/simd/fast_division.h"
#endif

/// exp and log, faster and with a wider range than xsimd's: subnormal results and arguments included.
namespace brim::kernels::BRIM_SIMD {
namespace {

inline Batch<float> polynomial(Batch<float>, Batch<float> sum) { return sum; }
inline Batch<double> polynomial(Batch<double>, Batch<double> sum) { return sum; }

/// Horner's rule, the highest coefficient first.
template <typename T, typename... Rest>
Batch<T> polynomial(Batch<T> x, Batch<T> sum, T next, Rest... rest) {
  return polynomial(x, multiply_add(sum, x, Batch<T>(next)), rest...);
}

template <typename T>
struct Binary;  // the layout of T, and ln 2 in two parts of which the upper has room for an exponent's factor
template <>
struct Binary<float> {
  using Bits = std::uint32_t;
  static constexpr int kMantissa = 23, kBias = 127;
  static constexpr float kIntegers = 0x1p23F;  ///< in its binade the integers are the low bits of the mantissa
  static constexpr float kLn2High = 0x1.62e4p-1F, kLn2Low = 0x1.7f7d1cp-20F;
  static constexpr float kSmallestNormal = 0x1p-126F, kLeastExp = -105.0F, kMostExp = 89.0F;
};
template <>
struct Binary<double> {
  using Bits = std::uint64_t;
  static constexpr int kMantissa = 52, kBias = 1023;
  static constexpr double kIntegers = 0x1p52;
  static constexpr double kLn2High = 0x1.62e42fefa38p-1, kLn2Low = 0x1.ef35793c7673p-45;
  static constexpr double kSmallestNormal = 0x1p-1022, kLeastExp = -746.0, kMostExp = 710.0;
};

template <typename T>
using BitBatch = xsimd::batch<typename Binary<T>::Bits>;

template <typename T>
BitBatch<T> bits_of(Batch<T> x) {
  return xsimd::bitwise_cast<BitBatch<T>>(x);
}
template <typename T>
Batch<T> from_bits(BitBatch<T> x) {
  return xsimd::bitwise_cast<Batch<T>>(x);
}

/// 2^n for whole n within the normal exponents.
template <typename T>
Batch<T> power_of_two(Batch<T> n) {
  using B = Binary<T>;
  return from_bits<T>(bits_of<T>(n + Batch<T>(B::kIntegers + T{B::kBias})) << B::kMantissa);
}

/// y * 2^n rounded once or, below the normal numbers, twice; n is whole.
template <typename T>
Batch<T> scale(Batch<T> y, Batch<T> n) {
#if defined(__AVX512F__)
  if constexpr (sizeof(T) == 4)
    return Batch<T>(_mm512_scalef_ps(y, n));
  else
    return Batch<T>(_mm512_scalef_pd(y, n));
#else
  const Batch<T> magic(T{1.5} * Binary<T>::kIntegers);
  const Batch<T> half = (n * Batch<T>(T{0.5}) + magic) - magic;
  return y * power_of_two<T>(half) * power_of_two<T>(n - half);
#endif
}

/// exp(r) - 1 for |r| <= ln(2) / 2: near-minimax polynomials, 0.01 ulp.
inline Batch<float> exp_minus_1_near_0(Batch<float> r) {
  const auto p = polynomial<float>(r, Batch<float>(0x1.a125f6p-13F), 0x1.6d444ap-10F, 0x1.1110e0p-7F, 0x1.5554e8p-5F,
                                   0x1.555556p-3F, 0.5F);
  return multiply_add(p, r * r, r);
}
inline Batch<double> exp_minus_1_near_0(Batch<double> r) {
  const auto p =
      polynomial<double>(r, Batch<double>(0x1.1f75e52cc9c12p-29), 0x1.af4f241b0265ap-26, 0x1.27e4d92100b57p-22,
                         0x1.71de018d74b31p-19, 0x1.a01a01a818e99p-16, 0x1.a01a01ac21fabp-13, 0x1.6c16c16c15e58p-10,
                         0x1.111111111005dp-7, 0x1.5555555555556p-5, 0x1.5555555555557p-3, 0.5);
  return multiply_add(p, r * r, r);
}

template <typename T>
Batch<T> exponential(Batch<T> x) {
  using B = Binary<T>;
  // min and max give their second operand when one is NaN.
  const Batch<T> limited = xsimd::max(Batch<T>(B::kLeastExp), xsimd::min(Batch<T>(B::kMostExp), x));
  const Batch<T> magic(T{1.5} * B::kIntegers);
  const Batch<T> n = multiply_add(limited, Batch<T>(static_cast<T>(1.442695040888963407)), magic) - magic;
  const Batch<T> r = subtract_product(subtract_product(limited, n, Batch<T>(B::kLn2High)), n, Batch<T>(B::kLn2Low));
  return scale<T>(exp_minus_1_near_0(r) + Batch<T>(T{1}), n);
}

inline Batch<float> quotient_for_log(Batch<float> a, Batch<float> b) { return a / b; }
/// The last bit does not matter here.
inline Batch<double> quotient_for_log(Batch<double> a, Batch<double> b) {
#if defined(__AVX512F__)
  const Batch<double> y = refine_reciprocal(b, Batch<double>(_mm512_rcp14_pd(b)));
  return a * refine_reciprocal(b, y);
#else
  return a / b;
#endif
}

/// log(1 + f) + n ln(2) for sqrt(1/2) <= 1 + f <= sqrt(2): Cephes' logf and fdlibm's log.
inline Batch<float> log_near_1(Batch<float> f, Batch<float> n) {
  const Batch<float> ff = f * f;
  const auto p =
      polynomial<float>(f, Batch<float>(7.0376836292E-2F), -1.1514610310E-1F, 1.1676998740E-1F, -1.2420140846E-1F,
                        1.4249322787E-1F, -1.6668057665E-1F, 2.0000714765E-1F, -2.4999993993E-1F, 3.3333331174E-1F);
  const Batch<float> low = multiply_add(n, Batch<float>(Binary<float>::kLn2Low), p * f * ff);
  const Batch<float> rest = subtract_product(low, ff, Batch<float>(0.5F)) + f;
  return multiply_add(n, Batch<float>(Binary<float>::kLn2High), rest);
}
inline Batch<double> log_near_1(Batch<double> f, Batch<double> n) {
  const Batch<double> s = quotient_for_log(f, f + Batch<double>(2.0));
  const Batch<double> z = s * s;
  const auto p = polynomial<double>(z, Batch<double>(1.479819860511658591e-01), 1.531383769920937332e-01,
                                    1.818357216161805012e-01, 2.222219843214978396e-01, 2.857142874366239149e-01,
                                    3.999999999940941908e-01, 6.666666666666735130e-01);
  const Batch<double> half_square = Batch<double>(0.5) * f * f;
  const Batch<double> correction =
      multiply_add(s, multiply_add(p, z, half_square), n * Batch<double>(Binary<double>::kLn2Low));
  return multiply_add(n, Batch<double>(Binary<double>::kLn2High), f - (half_square - correction));
}

#if defined(__AVX512F__)
/// For x above zero and finite: exponent and mantissa by the instructions for them, subnormal numbers included.
inline Batch<float> logarithm_of_positive(Batch<float> x) {
  const __m512 mantissa = _mm512_getmant_ps(x, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_zero);
  const __m512 n = _mm512_getexp_ps(x);
  const __mmask16 upper = _mm512_cmp_ps_mask(mantissa, _mm512_set1_ps(1.41421356F), _CMP_GT_OQ);
  const Batch<float> near_1 = _mm512_mask_mul_ps(mantissa, upper, mantissa, _mm512_set1_ps(0.5F));
  return log_near_1(near_1 - Batch<float>(1.0F), Batch<float>(_mm512_mask_add_ps(n, upper, n, _mm512_set1_ps(1.0F))));
}
inline Batch<double> logarithm_of_positive(Batch<double> x) {
  const __m512d mantissa = _mm512_getmant_pd(x, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_zero);
  const __m512d n = _mm512_getexp_pd(x);
  const __mmask8 upper = _mm512_cmp_pd_mask(mantissa, _mm512_set1_pd(1.4142135623730951), _CMP_GT_OQ);
  const Batch<double> near_1 = _mm512_mask_mul_pd(mantissa, upper, mantissa, _mm512_set1_pd(0.5));
  return log_near_1(near_1 - Batch<double>(1.0), Batch<double>(_mm512_mask_add_pd(n, upper, n, _mm512_set1_pd(1.0))));
}
/// NaN, zeros, infinities, negative: all classes but the positive normal and subnormal numbers.
inline constexpr int kNotPositive = 0xDF;
inline bool all_positive(Batch<float> x) { return _mm512_fpclass_ps_mask(x, kNotPositive) == 0; }
inline bool all_positive(Batch<double> x) { return _mm512_fpclass_pd_mask(x, kNotPositive) == 0; }
#else
/// For x above zero and finite: exponent and mantissa from the bits.
template <typename T>
Batch<T> logarithm_of_positive(Batch<T> x) {
  using B = Binary<T>;
  using Bits = typename B::Bits;
  constexpr Bits kOne = Bits{B::kBias} << B::kMantissa;
  constexpr Bits kRootHalf = __builtin_bit_cast(Bits, static_cast<T>(0.70710678118654752440));
  constexpr Bits kMantissaBits = (Bits{1} << B::kMantissa) - 1;
  const auto subnormal = x < Batch<T>(B::kSmallestNormal);
  const Batch<T> normal = xsimd::select(subnormal, x * Batch<T>(T{2} * B::kIntegers), x);
  const BitBatch<T> shifted = bits_of<T>(normal) + BitBatch<T>(kOne - kRootHalf);
  // The biased exponent, as the low bits of a number in the binade of the integers.
  const BitBatch<T> exponent = (shifted >> B::kMantissa) | BitBatch<T>(__builtin_bit_cast(Bits, B::kIntegers));
  const Batch<T> bias = xsimd::select(subnormal, Batch<T>(B::kIntegers + T{B::kBias + B::kMantissa + 1}),
                                      Batch<T>(B::kIntegers + T{B::kBias}));
  const Batch<T> n = from_bits<T>(exponent) - bias;
  const Batch<T> mantissa = from_bits<T>((shifted & BitBatch<T>(kMantissaBits)) + BitBatch<T>(kRootHalf));
  return log_near_1(mantissa - Batch<T>(T{1}), n);
}
template <typename T>
bool all_positive(Batch<T> x) {
  return xsimd::all((x > Batch<T>(T{0})) & (x < Batch<T>(std::numeric_limits<T>::infinity())));
}
#endif

template <typename T>
Batch<T> logarithm(Batch<T> x) {
  const Batch<T> value = logarithm_of_positive(x);
  if (all_positive(x)) return value;
  const Batch<T> infinity(std::numeric_limits<T>::infinity());
  const Batch<T> at_zero = xsimd::select(x == Batch<T>(T{0}), -infinity, value);
  // Infinity and NaN give themselves, what is below zero NaN.
  const Batch<T> above = xsimd::select(x < infinity, at_zero, x);
  return xsimd::select(x < Batch<T>(T{0}), Batch<T>(std::numeric_limits<T>::quiet_NaN()), above);
}

struct Exp {
  template <typename T>
  static Batch<T> of(Batch<T> x) {
    return exponential(x);
  }
};
struct Log {
  template <typename T>
  static Batch<T> of(Batch<T> x) {
    return logarithm(x);
  }
};

}  // namespace
}  // namespace brim::kernels::BRIM_SIMD
