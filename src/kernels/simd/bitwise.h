#pragma once

#include "kernels/simd/groups.h"
#include "kernels/simd/loops.h"

namespace brim::kernels::BRIM_SIMD {
namespace {

struct And {
  template <typename T>
  static T of(T a, T b) {
    return static_cast<T>(a & b);
  }
};
struct Or {
  template <typename T>
  static T of(T a, T b) {
    return static_cast<T>(a | b);
  }
};
struct Xor {
  template <typename T>
  static T of(T a, T b) {
    return static_cast<T>(a ^ b);
  }
};
struct Invert {
  template <typename T>
  static T of(T a) {
    return static_cast<T>(~a);
  }
};
struct LogicalNot {
  static std::uint8_t of(std::uint8_t a) { return a == 0; }
};

/// Shifts by less than nothing or by the width and more push every bit out, as in NumPy.
template <typename T>
bool shifts_all_out(T by) {
  return by < T{0} || by >= static_cast<T>(8 * sizeof(T));
}

struct LeftShift {
  template <typename T>
  static T of(T a, T by) {
    const bool all_out = shifts_all_out(by);
    const auto shifted = static_cast<T>(static_cast<Wrapping<T>>(a) << (all_out ? T{0} : by));
    return all_out ? T{0} : shifted;
  }
};
struct RightShift {
  template <typename T>
  static T of(T a, T by) {
    constexpr T kMost = static_cast<T>(8 * sizeof(T) - 1);
    const bool all_out = shifts_all_out(by);
    if constexpr (std::is_signed_v<T>) return static_cast<T>(a >> (all_out ? kMost : by));
    return all_out ? T{0} : static_cast<T>(a >> (all_out ? T{0} : by));
  }
};

template <typename T>
void where_loop(const std::byte* const* operands, std::byte* result, std::int64_t count) {
  const auto* __restrict condition = reinterpret_cast<const std::uint8_t*>(operands[0]);
  const T* __restrict a = reinterpret_cast<const T*>(operands[1]);
  const T* __restrict b = reinterpret_cast<const T*>(operands[2]);
  T* __restrict out = reinterpret_cast<T*>(result);
  for (std::int64_t i = 0; i < count; ++i) {
    const T chosen = a[i];
    const T other = b[i];
    out[i] = condition[i] != 0 ? chosen : other;
  }
}

/// bool has the bits of uint8, which hold 0 or 1.
DType integer_of(DType dtype) { return is_bool(dtype) ? DType::kUInt8 : dtype; }

template <typename Op>
Kernel binary_integer(const KernelKey& key) {
  if (key.form != Form::kTiles) return nullptr;
  return for_integer(integer_of(key.operand_dtype),
                     []<typename T>(T) -> Kernel { return binary_loop<Op, T, T, Form::kTiles>; });
}

Kernel find_where(DType dtype) {
  return for_numeric(integer_of(dtype), []<typename T>(T) -> Kernel { return where_loop<T>; });
}

}  // namespace

Kernel find_bitwise(const KernelKey& key) {
  switch (key.function) {
    case Function::kBitwiseAnd:
    case Function::kLogicalAnd:
      return binary_integer<And>(key);
    case Function::kBitwiseOr:
    case Function::kLogicalOr:
      return binary_integer<Or>(key);
    case Function::kBitwiseXor:
    case Function::kLogicalXor:
      return binary_integer<Xor>(key);
    case Function::kBitwiseLeftShift:
      return is_bool(key.operand_dtype) ? nullptr : binary_integer<LeftShift>(key);
    case Function::kBitwiseRightShift:
      return is_bool(key.operand_dtype) ? nullptr : binary_integer<RightShift>(key);
    case Function::kLogicalNot:
      return unary_loop<LogicalNot, std::uint8_t, std::uint8_t>;
    case Function::kBitwiseInvert:
      if (is_bool(key.operand_dtype)) return unary_loop<LogicalNot, std::uint8_t, std::uint8_t>;
      return for_integer(key.operand_dtype, []<typename T>(T) -> Kernel { return unary_loop<Invert, T, T>; });
    case Function::kWhere:
      return find_where(key.operand_dtype);
    default:
      return nullptr;
  }
}

}  // namespace brim::kernels::BRIM_SIMD
