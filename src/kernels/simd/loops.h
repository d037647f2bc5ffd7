#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kernels/simd/kernel_table.h"

/// Plain loops over contiguous elements that the compiler vectorises, and the choice of one by dtype. Everything is in
/// an unnamed namespace: compiled once per instruction set, never shared.
namespace brim::kernels::BRIM_SIMD {
namespace {

/// Unsigned and at least as wide as int: integer arithmetic in it wraps around without undefined behaviour.
template <typename T>
using Wrapping = std::conditional_t<(sizeof(T) < 4), unsigned, std::make_unsigned_t<T>>;

template <typename T>
inline constexpr bool kFloating = std::is_floating_point_v<T>;

template <typename Op, typename In, typename Out>
void unary_loop(const std::byte* const* operands, std::byte* result, std::int64_t count) {
  const In* __restrict a = reinterpret_cast<const In*>(operands[0]);
  Out* __restrict out = reinterpret_cast<Out*>(result);
  for (std::int64_t i = 0; i < count; ++i) out[i] = Op::of(a[i]);
}

template <typename Op, typename In, typename Out, Form form>
void binary_loop(const std::byte* const* operands, std::byte* result, std::int64_t count) {
  const In* __restrict a = reinterpret_cast<const In*>(operands[0]);
  const In* __restrict b = reinterpret_cast<const In*>(operands[1]);
  Out* __restrict out = reinterpret_cast<Out*>(result);
  if constexpr (form == Form::kFirstIsScalar) {
    const In first = *a;
    for (std::int64_t i = 0; i < count; ++i) out[i] = Op::of(first, b[i]);
  } else if constexpr (form == Form::kSecondIsScalar) {
    const In second = *b;
    for (std::int64_t i = 0; i < count; ++i) out[i] = Op::of(a[i], second);
  } else {
    for (std::int64_t i = 0; i < count; ++i) out[i] = Op::of(a[i], b[i]);
  }
}

/// Scalar forms exist for floating operands only: that is where formulas have constants.
template <typename Op, typename In, typename Out>
Kernel binary_kernel(Form form) {
  if constexpr (kFloating<In>) {
    if (form == Form::kFirstIsScalar) return binary_loop<Op, In, Out, Form::kFirstIsScalar>;
    if (form == Form::kSecondIsScalar) return binary_loop<Op, In, Out, Form::kSecondIsScalar>;
  }
  return form == Form::kTiles ? binary_loop<Op, In, Out, Form::kTiles> : nullptr;
}

// The choice of a type by dtype: `choose` is a template over types that gives a kernel.

template <typename Choose>
Kernel for_integer(DType dtype, Choose choose) {
  switch (dtype) {
    case DType::kInt8:
      return choose(std::int8_t{});
    case DType::kInt16:
      return choose(std::int16_t{});
    case DType::kInt32:
      return choose(std::int32_t{});
    case DType::kInt64:
      return choose(std::int64_t{});
    case DType::kUInt8:
      return choose(std::uint8_t{});
    case DType::kUInt16:
      return choose(std::uint16_t{});
    case DType::kUInt32:
      return choose(std::uint32_t{});
    case DType::kUInt64:
      return choose(std::uint64_t{});
    default:
      return nullptr;
  }
}

template <typename Choose>
Kernel for_floating(DType dtype, Choose choose) {
  switch (dtype) {
    case DType::kFloat32:
      return choose(float{});
    case DType::kFloat64:
      return choose(double{});
    default:
      return nullptr;
  }
}

template <typename Choose>
Kernel for_numeric(DType dtype, Choose choose) {
  const Kernel floating = for_floating(dtype, choose);
  return floating ? floating : for_integer(dtype, choose);
}

}  // namespace
}  // namespace brim::kernels::BRIM_SIMD
