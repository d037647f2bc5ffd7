#pragma once

#include "kernels/simd/exponential.h"
#include "kernels/simd/groups.h"
#include "kernels/simd/power.h"
#include "kernels/simd/trigonometric.h"

namespace brim::kernels::BRIM_SIMD {
namespace {

template <typename T>
Batch<T> not_a_number() {
  return Batch<T>(std::numeric_limits<T>::quiet_NaN());
}

struct Acos {
  template <typename T>
  static Batch<T> of(Batch<T> x) {
    return xsimd::acos(x);
  }
};
struct Asin {
  template <typename T>
  static Batch<T> of(Batch<T> x) {
    return xsimd::asin(x);
  }
};
struct Atan {
  template <typename T>
  static Batch<T> of(Batch<T> x) {
    return xsimd::atan(x);
  }
};
struct Sinh {
  template <typename T>
  static Batch<T> of(Batch<T> x) {
    return xsimd::sinh(x);
  }
};
struct Cosh {
  template <typename T>
  static Batch<T> of(Batch<T> x) {
    return xsimd::cosh(x);
  }
};
struct Tanh {
  template <typename T>
  static Batch<T> of(Batch<T> x) {
    return xsimd::tanh(x);
  }
};
struct Asinh {
  template <typename T>
  static Batch<T> of(Batch<T> x) {
    return xsimd::asinh(x);
  }
};
/// xsimd gives numbers for some arguments far below 1.
struct Acosh {
  template <typename T>
  static Batch<T> of(Batch<T> x) {
    return xsimd::select(x < Batch<T>(T{1}), not_a_number<T>(), xsimd::acosh(x));
  }
};
struct Atanh {
  template <typename T>
  static Batch<T> of(Batch<T> x) {
    return xsimd::atanh(x);
  }
};
/// xsimd loses the sign of zero and overflows early.
struct Expm1 {
  template <typename T>
  static Batch<T> of(Batch<T> x) {
    const Batch<T> large = exponential(x) - Batch<T>(T{1});
    const Batch<T> value = xsimd::select(x > Batch<T>(T{40}), large, xsimd::expm1(x));
    return xsimd::select(x == Batch<T>(T{0}), x, value);
  }
};
/// xsimd loses the sign of zero.
struct Log1p {
  template <typename T>
  static Batch<T> of(Batch<T> x) {
    return xsimd::select(x == Batch<T>(T{0}), x, xsimd::log1p(x));
  }
};

/// Subnormal arguments, which xsimd's logarithms get wrong, are scaled up by 2^54 first.
template <typename T>
struct Scaled {
  explicit Scaled(Batch<T> x)
      : subnormal(x < Batch<T>(Binary<T>::kSmallestNormal)),
        value(xsimd::select(subnormal, x * Batch<T>(T(0x1p54)), x)) {}
  /// `logarithm` less that of the scaling.
  Batch<T> corrected(Batch<T> logarithm, double of_scaling) const {
    return xsimd::select(subnormal, logarithm - Batch<T>(static_cast<T>(of_scaling)), logarithm);
  }
  typename Batch<T>::batch_bool_type subnormal;
  Batch<T> value;
};

struct Log2 {
  template <typename T>
  static Batch<T> of(Batch<T> x) {
    const Scaled<T> scaled(x);
    return scaled.corrected(xsimd::log2(scaled.value), 54.0);
  }
};
struct Log10 {
  template <typename T>
  static Batch<T> of(Batch<T> x) {
    const Scaled<T> scaled(x);
    return scaled.corrected(xsimd::log10(scaled.value), 16.255619765854984);
  }
};

/// log(exp(a) + exp(b)) without overflow; infinities of one sign give themselves, as in NumPy.
struct LogAddExp {
  template <typename T>
  static Batch<T> of(Batch<T> a, Batch<T> b) {
    const Batch<T> difference = a - b;
    const Batch<T> larger = xsimd::select(difference > Batch<T>(T{0}), a, b);
    const Batch<T> value = larger + Log1p::of(exponential(-xsimd::abs(difference)));
    const Batch<T> of_equal = a + Batch<T>(static_cast<T>(0.693147180559945309));
    const Batch<T> ordered = xsimd::select(difference == difference, value, difference);
    return xsimd::select(a == b, of_equal, ordered);
  }
};

struct Atan2 {
  static float of(float y, float x) { return __builtin_atan2f(y, x); }
  static double of(double y, double x) { return __builtin_atan2(y, x); }
};

/// Infinity wins over NaN. float32 squares are exact in float64; float64 is scaled away from overflow and underflow.
struct Hypot {
  static float of(float x, float y) {
    const double a = x;
    const double b = y;
    const float root = static_cast<float>(__builtin_sqrt(a * a + b * b));
    return is_infinite(x) || is_infinite(y) ? std::numeric_limits<float>::infinity() : root;
  }
  static double of(double x, double y) {
    const double a = __builtin_fabs(x);
    const double b = __builtin_fabs(y);
    const double larger = a > b ? a : b;
    const double up = larger < 0x1p-400 ? 0x1p600 : 1.0;
    const double scaling = larger > 0x1p500 ? 0x1p-600 : up;
    const double root = __builtin_sqrt(a * scaling * (a * scaling) + b * scaling * (b * scaling)) / scaling;
    return is_infinite(x) || is_infinite(y) ? std::numeric_limits<double>::infinity() : root;
  }
  template <typename T>
  static bool is_infinite(T a) {
    return a == std::numeric_limits<T>::infinity() || a == -std::numeric_limits<T>::infinity();
  }
};

template <typename Op>
Kernel unary_math(const KernelKey& key) {
  return for_floating(key.operand_dtype, []<typename T>(T) -> Kernel { return batch_unary<Op, T>; });
}

template <typename Op>
Kernel binary_scalar_math(const KernelKey& key) {
  return for_floating(key.operand_dtype, []<typename T>(T) -> Kernel { return binary_loop<Op, T, T, Form::kTiles>; });
}

Kernel find_binary_math(const KernelKey& key) {
  switch (key.function) {
    case Function::kAtan2:
      return binary_scalar_math<Atan2>(key);
    case Function::kHypot:
      return binary_scalar_math<Hypot>(key);
    case Function::kLogaddexp:
      return for_floating(key.operand_dtype, []<typename T>(T) -> Kernel { return batch_binary<LogAddExp, T>; });
    case Function::kPow:
      return for_floating(key.operand_dtype, []<typename T>(T) -> Kernel { return power_loop<T>; });
    default:
      return nullptr;
  }
}

}  // namespace

Kernel find_math(const KernelKey& key) {
  if (key.form != Form::kTiles) return nullptr;
  switch (key.function) {
    case Function::kAcos:
      return unary_math<Acos>(key);
    case Function::kAcosh:
      return unary_math<Acosh>(key);
    case Function::kAsin:
      return unary_math<Asin>(key);
    case Function::kAsinh:
      return unary_math<Asinh>(key);
    case Function::kAtan:
      return unary_math<Atan>(key);
    case Function::kAtanh:
      return unary_math<Atanh>(key);
    case Function::kCos:
      return unary_math<Cos>(key);
    case Function::kCosh:
      return unary_math<Cosh>(key);
    case Function::kExp:
      return unary_math<Exp>(key);
    case Function::kExpm1:
      return unary_math<Expm1>(key);
    case Function::kLog:
      return unary_math<Log>(key);
    case Function::kLog10:
      return unary_math<Log10>(key);
    case Function::kLog1p:
      return unary_math<Log1p>(key);
    case Function::kLog2:
      return unary_math<Log2>(key);
    case Function::kSin:
      return unary_math<Sin>(key);
    case Function::kSinh:
      return unary_math<Sinh>(key);
    case Function::kTan:
      return unary_math<Tan>(key);
    case Function::kTanh:
      return unary_math<Tanh>(key);
    default:
      return find_binary_math(key);
  }
}

}  // namespace brim::kernels::BRIM_SIMD
