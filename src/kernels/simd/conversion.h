#pragma once

#include <limits>

#include "kernels/simd/groups.h"
#include "kernels/simd/loops.h"

namespace brim::kernels::BRIM_SIMD {
namespace {

/// Truncates like the x86 instruction: NaN and what is out of range give the smallest Integer.
template <typename Integer, typename Float>
Integer truncate_to(Float a) {
  constexpr Float kLow = static_cast<Float>(std::numeric_limits<Integer>::min());  // a power of two: exact
  const bool fits = a >= kLow && a < -kLow;
  const auto truncated = static_cast<Integer>(fits ? a : Float{0});
  return fits ? truncated : std::numeric_limits<Integer>::min();
}

/// NumPy's conversion on x86: small integers go by way of int32, uint32 by way of int64, and the upper half of uint64
/// by way of the value less 2^63; then the low bits are kept.
template <typename To, typename Float>
To float_to_integer(Float a) {
  if constexpr (std::is_same_v<To, std::uint64_t>) {
    constexpr Float kHalf = static_cast<Float>(9223372036854775808.0);
    const bool upper = a >= kHalf;
    const auto low = static_cast<std::uint64_t>(truncate_to<std::int64_t>(upper ? a - kHalf : a));
    return upper ? low ^ (std::uint64_t{1} << 63) : low;
  } else if constexpr (sizeof(To) < 4 || std::is_same_v<To, std::int32_t>) {
    return static_cast<To>(truncate_to<std::int32_t>(a));
  } else {
    return static_cast<To>(truncate_to<std::int64_t>(a));
  }
}

template <typename To>
struct Convert {
  template <typename From>
  static To of(From a) {
    if constexpr (std::is_same_v<To, bool>)
      return a != From{0};
    else if constexpr (kFloating<From> && !kFloating<To>)
      return float_to_integer<To>(a);
    else
      return static_cast<To>(a);
  }
};

template <typename To>
Kernel from_dtype(DType from) {
  if (is_bool(from)) from = DType::kUInt8;
  return for_numeric(from, []<typename From>(From) -> Kernel { return unary_loop<Convert<To>, From, To>; });
}

}  // namespace

Kernel find_conversion(const KernelKey& key) {
  if (key.function != Function::kAstype) return nullptr;
  if (is_bool(key.result_dtype)) return from_dtype<bool>(key.operand_dtype);
  return for_numeric(key.result_dtype, [&]<typename To>(To) -> Kernel { return from_dtype<To>(key.operand_dtype); });
}

}  // namespace brim::kernels::BRIM_SIMD
