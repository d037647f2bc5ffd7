#pragma once

#include <limits>

#include "kernels/simd/groups.h"
#include "kernels/simd/loops.h"

namespace brim::kernels::BRIM_SIMD {
namespace {

struct Equal {
  template <typename T>
  static bool of(T a, T b) {
    return a == b;
  }
};
struct NotEqual {
  template <typename T>
  static bool of(T a, T b) {
    return a != b;
  }
};
struct Less {
  template <typename T>
  static bool of(T a, T b) {
    return a < b;
  }
};
struct LessEqual {
  template <typename T>
  static bool of(T a, T b) {
    return a <= b;
  }
};
struct Greater {
  template <typename T>
  static bool of(T a, T b) {
    return a > b;
  }
};
struct GreaterEqual {
  template <typename T>
  static bool of(T a, T b) {
    return a >= b;
  }
};

struct IsNan {
  template <typename T>
  static bool of(T a) {
    return a != a;
  }
};
struct IsInf {
  template <typename T>
  static bool of(T a) {
    if constexpr (kFloating<T>)
      return a == std::numeric_limits<T>::infinity() || a == -std::numeric_limits<T>::infinity();
    else
      return false;
  }
};
struct IsFinite {
  template <typename T>
  static bool of(T a) {
    if constexpr (kFloating<T>)
      return a - a == T{0};
    else
      return true;
  }
};
struct SignBit {
  static bool of(float a) { return __builtin_bit_cast(std::int32_t, a) < 0; }
  static bool of(double a) { return __builtin_bit_cast(std::int64_t, a) < 0; }
};

/// bool compares as the byte that it is.
DType comparable(DType dtype) { return is_bool(dtype) ? DType::kUInt8 : dtype; }

template <typename Op>
Kernel binary_any(const KernelKey& key) {
  return for_numeric(comparable(key.operand_dtype),
                     [&]<typename T>(T) -> Kernel { return binary_kernel<Op, T, bool>(key.form); });
}

template <typename Op>
Kernel unary_any(const KernelKey& key) {
  return for_numeric(key.operand_dtype, []<typename T>(T) -> Kernel { return unary_loop<Op, T, bool>; });
}

}  // namespace

Kernel find_comparison(const KernelKey& key) {
  switch (key.function) {
    case Function::kEqual:
      return binary_any<Equal>(key);
    case Function::kNotEqual:
      return binary_any<NotEqual>(key);
    case Function::kLess:
      return binary_any<Less>(key);
    case Function::kLessEqual:
      return binary_any<LessEqual>(key);
    case Function::kGreater:
      return binary_any<Greater>(key);
    case Function::kGreaterEqual:
      return binary_any<GreaterEqual>(key);
    case Function::kIsnan:
      return unary_any<IsNan>(key);
    case Function::kIsinf:
      return unary_any<IsInf>(key);
    case Function::kIsfinite:
      return unary_any<IsFinite>(key);
    case Function::kSignbit:
      return for_floating(key.operand_dtype, []<typename T>(T) -> Kernel { return unary_loop<SignBit, T, bool>; });
    default:
      return nullptr;
  }
}

}  // namespace brim::kernels::BRIM_SIMD
