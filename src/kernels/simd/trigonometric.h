#pragma once

#include "kernels/simd/exponential.h"

/// sin, cos and tan with xsimd's polynomials. xsimd's own functions choose the reduction by the largest argument of a
/// batch, so that a value would depend on its neighbours; here every lane is reduced the same way, and arguments past
/// some 200 (float32) or 800,000 (float64), infinities and NaN go to the C library one by one.
namespace brim::kernels::BRIM_SIMD {
namespace {

inline float scalar_sin(float x) { return __builtin_sinf(x); }
inline double scalar_sin(double x) { return __builtin_sin(x); }
inline float scalar_cos(float x) { return __builtin_cosf(x); }
inline double scalar_cos(double x) { return __builtin_cos(x); }
inline float scalar_tan(float x) { return __builtin_tanf(x); }
inline double scalar_tan(double x) { return __builtin_tan(x); }

/// |x| = (quadrant + 4 k) pi/2 + rest.
template <typename T>
struct Reduced {
  BitBatch<T> quadrant;
  Batch<T> rest;
};

/// Cody and Waite's reduction in three parts with the last rounding error carried along.
template <typename T>
Reduced<T> reduce_by_quarter_turns(Batch<T> x) {
  using B = Batch<T>;
  namespace constants = xsimd::constants;
  const B magic(T{1.5} * Binary<T>::kIntegers);
  const B shifted = x * constants::twoopi<B>() + magic;
  const B n = shifted - magic;
  const B first = x - n * constants::pio2_1<B>();
  const B second_part = n * constants::pio2_2<B>();
  const B second = first - second_part;
  const B third_part = n * constants::pio2_3<B>();
  const B third = second - third_part;
  const B third_error = n * constants::pio2_3t<B>() - ((second - third) - third_part);
  return {bits_of<T>(shifted), third - third_error};
}

template <typename T>
Batch<T> sign_of(Batch<T> x) {
  return x & Batch<T>(-T{0});
}

/// As a mask for T lanes: the lowest bit as the last one of a number in the binade of the integers.
template <typename T>
auto is_even(BitBatch<T> quadrant) {
  const Batch<T> integers(Binary<T>::kIntegers);
  return from_bits<T>((quadrant & BitBatch<T>(1)) | bits_of<T>(integers)) == integers;
}

/// sin(x) for x reduced to `reduced`, up to a quarter turn and the sign of x.
template <typename T>
Batch<T> sine_of_reduced(const Reduced<T>& reduced) {
  const Batch<T> square = reduced.rest * reduced.rest;
  const Batch<T> sine = xsimd::kernel::detail::sin_eval(square, reduced.rest);
  const Batch<T> cosine = xsimd::kernel::detail::cos_eval(square);
  const BitBatch<T> two = (reduced.quadrant >> 1) << (8 * sizeof(T) - 1);
  return xsimd::select(is_even<T>(reduced.quadrant), sine, cosine) ^ from_bits<T>(two);
}

template <typename T>
auto within_reduction(Batch<T> magnitude) {
  return magnitude <= xsimd::constants::mediumpi<Batch<T>>();
}

/// Lanes whose argument is past the reduction get scalar(x) instead.
template <typename T, typename Scalar>
Batch<T> with_large_lanes(Batch<T> x, Batch<T> magnitude, Batch<T> values, Scalar scalar) {
  if (xsimd::all(within_reduction(magnitude))) return values;
  alignas(64) T arguments[kLanes<T>];
  alignas(64) T magnitudes[kLanes<T>];
  alignas(64) T results[kLanes<T>];
  x.store_aligned(arguments);
  magnitude.store_aligned(magnitudes);
  values.store_aligned(results);
  alignas(64) T limit[kLanes<T>];
  xsimd::constants::mediumpi<Batch<T>>().store_aligned(limit);
  for (std::int64_t i = 0; i < kLanes<T>; ++i)
    if (!(magnitudes[i] <= limit[i])) results[i] = scalar(arguments[i]);
  return Batch<T>::load_aligned(results);
}

struct Sin {
  template <typename T>
  static Batch<T> of(Batch<T> x) {
    const Batch<T> magnitude = xsimd::abs(x);
    const Batch<T> values = sine_of_reduced(reduce_by_quarter_turns(magnitude)) ^ sign_of(x);
    return with_large_lanes(x, magnitude, values, [](T a) { return scalar_sin(a); });
  }
};

struct Cos {
  template <typename T>
  static Batch<T> of(Batch<T> x) {
    const Batch<T> magnitude = xsimd::abs(x);
    Reduced<T> reduced = reduce_by_quarter_turns(magnitude);
    reduced.quadrant = reduced.quadrant + BitBatch<T>(1);
    return with_large_lanes(x, magnitude, sine_of_reduced(reduced), [](T a) { return scalar_cos(a); });
  }
};

struct Tan {
  template <typename T>
  static Batch<T> of(Batch<T> x) {
    const Batch<T> magnitude = xsimd::abs(x);
    const Reduced<T> reduced = reduce_by_quarter_turns(magnitude);
    const Batch<T> values = xsimd::kernel::detail::tan_eval(reduced.rest, is_even<T>(reduced.quadrant)) ^ sign_of(x);
    return with_large_lanes(x, magnitude, values, [](T a) { return scalar_tan(a); });
  }
};

}  // namespace
}  // namespace brim::kernels::BRIM_SIMD
