#pragma once

#include "kernels/simd/division.h"
#include "kernels/simd/groups.h"
#include "kernels/simd/loops.h"

namespace brim::kernels::BRIM_SIMD {
namespace {

struct Add {
  template <typename T>
  static T of(T a, T b) {
    if constexpr (kFloating<T>)
      return a + b;
    else
      return static_cast<T>(static_cast<Wrapping<T>>(a) + static_cast<Wrapping<T>>(b));
  }
};

struct Subtract {
  template <typename T>
  static T of(T a, T b) {
    if constexpr (kFloating<T>)
      return a - b;
    else
      return static_cast<T>(static_cast<Wrapping<T>>(a) - static_cast<Wrapping<T>>(b));
  }
};

struct Multiply {
  template <typename T>
  static T of(T a, T b) {
    if constexpr (kFloating<T>)
      return a * b;
    else
      return static_cast<T>(static_cast<Wrapping<T>>(a) * static_cast<Wrapping<T>>(b));
  }
};

/// The first operand if both are equal or it is NaN: the same bits by every instruction set.
struct Maximum {
  template <typename T>
  static T of(T a, T b) {
    return (a >= b || a != a) ? a : b;
  }
};

struct Minimum {
  template <typename T>
  static T of(T a, T b) {
    return (a <= b || a != a) ? a : b;
  }
};

struct Negative {
  template <typename T>
  static T of(T a) {
    if constexpr (kFloating<T>)
      return -a;
    else
      return static_cast<T>(Wrapping<T>{0} - static_cast<Wrapping<T>>(a));
  }
};

struct Positive {
  template <typename T>
  static T of(T a) {
    return a;
  }
};

struct Square {
  template <typename T>
  static T of(T a) {
    return Multiply::of(a, a);
  }
};

struct Abs {
  template <typename T>
  static T of(T a) {
    if constexpr (std::is_same_v<T, float>)
      return __builtin_fabsf(a);
    else if constexpr (std::is_same_v<T, double>)
      return __builtin_fabs(a);
    else
      return a < T{0} ? Negative::of(a) : a;
  }
};

struct Sign {
  template <typename T>
  static T of(T a) {
    const T sign = static_cast<T>(static_cast<int>(a > T{0}) - static_cast<int>(a < T{0}));
    return a == a ? sign : a;
  }
};

struct Floor {
  static float of(float a) { return __builtin_floorf(a); }
  static double of(double a) { return __builtin_floor(a); }
};
struct Ceil {
  static float of(float a) { return __builtin_ceilf(a); }
  static double of(double a) { return __builtin_ceil(a); }
};
struct Trunc {
  static float of(float a) { return __builtin_truncf(a); }
  static double of(double a) { return __builtin_trunc(a); }
};
/// Halves to even: the rounding mode that a program starts with.
struct Round {
  static float of(float a) { return __builtin_rintf(a); }
  static double of(double a) { return __builtin_rint(a); }
};
struct Copysign {
  static float of(float a, float b) { return __builtin_copysignf(a, b); }
  static double of(double a, double b) { return __builtin_copysign(a, b); }
};
struct SquareRoot {
  static float of(float a) { return __builtin_sqrtf(a); }
  static double of(double a) { return __builtin_sqrt(a); }
};

template <typename Op>
Kernel binary_numeric(const KernelKey& key) {
  return for_numeric(key.operand_dtype, [&]<typename T>(T) -> Kernel { return binary_kernel<Op, T, T>(key.form); });
}

template <typename Op>
Kernel binary_floating(const KernelKey& key) {
  return for_floating(key.operand_dtype, [&]<typename T>(T) -> Kernel { return binary_kernel<Op, T, T>(key.form); });
}

Kernel find_integer_power(const KernelKey& key) {
  return for_integer(key.operand_dtype,
                     [&]<typename T>(T) -> Kernel { return binary_kernel<IntegerPower, T, T>(key.form); });
}

template <typename Op>
Kernel unary_numeric(const KernelKey& key) {
  return for_numeric(key.operand_dtype, []<typename T>(T) -> Kernel { return unary_loop<Op, T, T>; });
}

/// Rounding leaves integers as they are.
template <typename Op>
Kernel rounding(const KernelKey& key) {
  if (is_integer(key.operand_dtype)) return unary_numeric<Positive>(key);
  return for_floating(key.operand_dtype, []<typename T>(T) -> Kernel { return unary_loop<Op, T, T>; });
}

Kernel find_unary(const KernelKey& key) {
  switch (key.function) {
    case Function::kAbs:
      return unary_numeric<Abs>(key);
    case Function::kNegative:
      return unary_numeric<Negative>(key);
    case Function::kPositive:
      return unary_numeric<Positive>(key);
    case Function::kSquare:
      return unary_numeric<Square>(key);
    case Function::kSign:
      return unary_numeric<Sign>(key);
    case Function::kFloor:
      return rounding<Floor>(key);
    case Function::kCeil:
      return rounding<Ceil>(key);
    case Function::kTrunc:
      return rounding<Trunc>(key);
    case Function::kRound:
      return rounding<Round>(key);
    case Function::kSqrt:
      return for_floating(key.operand_dtype, []<typename T>(T) -> Kernel { return unary_loop<SquareRoot, T, T>; });
    default:
      return nullptr;
  }
}

}  // namespace

Kernel find_arithmetic(const KernelKey& key) {
  switch (key.function) {
    case Function::kAdd:
      return binary_numeric<Add>(key);
    case Function::kSubtract:
      return binary_numeric<Subtract>(key);
    case Function::kMultiply:
      return binary_numeric<Multiply>(key);
    case Function::kMaximum:
      return binary_numeric<Maximum>(key);
    case Function::kMinimum:
      return binary_numeric<Minimum>(key);
    case Function::kCopysign:
      return binary_floating<Copysign>(key);
    case Function::kDivide:
      return find_divide(key);
    case Function::kFloorDivide:
      return binary_numeric<FloorDivide>(key);
    case Function::kRemainder:
      return binary_numeric<Remainder>(key);
    case Function::kPow:
      return find_integer_power(key);
    default:
      return key.form == Form::kTiles ? find_unary(key) : nullptr;
  }
}

}  // namespace brim::kernels::BRIM_SIMD
