#pragma once

#include "kernels/simd/batch.h"
#if defined(__AVX512F__)
#include "kernels/simd/fast_division.h"
#endif

namespace brim::kernels::BRIM_SIMD {
namespace {

inline float float_remainder(float a, float b) { return __builtin_fmodf(a, b); }
inline double float_remainder(double a, double b) { return __builtin_fmod(a, b); }
inline float with_sign(float a, float sign) { return __builtin_copysignf(a, sign); }
inline double with_sign(double a, double sign) { return __builtin_copysign(a, sign); }
inline float floored(float a) { return __builtin_floorf(a); }
inline double floored(double a) { return __builtin_floor(a); }

/// Quotient and remainder as Python defines them: the remainder has the sign of the divisor.
template <typename T>
struct Division {
  T quotient;
  T remainder;
};

/// NumPy's algorithm, for b != 0.
template <typename T>
Division<T> divide_floating(T a, T b) {
  T remainder = float_remainder(a, b);
  T quotient = (a - remainder) / b;
  if (remainder == T{0}) {
    remainder = with_sign(T{0}, b);
  } else if ((b < T{0}) != (remainder < T{0})) {
    remainder += b;
    quotient -= T{1};
  }
  if (quotient == T{0}) return {with_sign(T{0}, a / b), remainder};
  const T whole = floored(quotient);
  return {quotient - whole > T{0.5} ? whole + T{1} : whole, remainder};
}

/// Division by zero gives 0 and 0, the smallest by -1 wraps around.
template <typename T>
Division<T> divide_integer(T a, T b) {
  if (b == T{0}) return {T{0}, T{0}};
  if constexpr (std::is_signed_v<T>) {
    if (b == T{-1}) return {static_cast<T>(Wrapping<T>{0} - static_cast<Wrapping<T>>(a)), T{0}};
    const T quotient = static_cast<T>(a / b);
    const T remainder = static_cast<T>(a % b);
    if (remainder != T{0} && (remainder < T{0}) != (b < T{0}))
      return {static_cast<T>(quotient - T{1}), static_cast<T>(remainder + b)};
    return {quotient, remainder};
  } else {
    return {static_cast<T>(a / b), static_cast<T>(a % b)};
  }
}

struct FloorDivide {
  template <typename T>
  static T of(T a, T b) {
    if constexpr (kFloating<T>)
      return b == T{0} ? a / b : divide_floating(a, b).quotient;
    else
      return divide_integer(a, b).quotient;
  }
};

struct Remainder {
  template <typename T>
  static T of(T a, T b) {
    if constexpr (kFloating<T>)
      return b == T{0} ? float_remainder(a, b) : divide_floating(a, b).remainder;
    else
      return divide_integer(a, b).remainder;
  }
};

/// Wraps around. A negative exponent gives what is left of the fraction: 1 and -1 keep their power, 0 and all others
/// give 0 (NumPy refuses negative integer exponents).
struct IntegerPower {
  template <typename T>
  static T of(T base, T exponent) {
    if constexpr (std::is_signed_v<T>) {
      if (exponent < T{0}) {
        if (base == T{1}) return T{1};
        if (base == T{-1}) return exponent % T{2} == T{0} ? T{1} : T{-1};
        return T{0};
      }
    }
    Wrapping<T> power = 1;
    auto factor = static_cast<Wrapping<T>>(base);
    for (auto left = static_cast<Wrapping<T>>(exponent); left != 0; left >>= 1) {
      if (left & 1) power *= factor;
      factor *= factor;
    }
    return static_cast<T>(power);
  }
};

struct Divide {
  template <typename T>
  static T of(T a, T b) {
    return a / b;
  }
};

Kernel find_divide(const KernelKey& key) {
#if defined(__AVX512F__)
  return for_floating(key.operand_dtype, [&]<typename T>(T) -> Kernel { return fast_division_kernel<T>(key.form); });
#else
  return for_floating(key.operand_dtype,
                      [&]<typename T>(T) -> Kernel { return binary_kernel<Divide, T, T>(key.form); });
#endif
}

}  // namespace
}  // namespace brim::kernels::BRIM_SIMD
