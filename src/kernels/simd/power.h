#pragma once

#include "kernels/simd/exponential.h"

namespace brim::kernels::BRIM_SIMD {
namespace {

inline float scalar_power(float x, float y) { return __builtin_powf(x, y); }
inline double scalar_power(double x, double y) { return __builtin_pow(x, y); }

/// Elements are computed in float64, exp(y log(x)), a block at a time; what has no such logarithm goes to the C
/// library.
inline void power_block(const float* x, const float* y, float* out, std::int64_t count) {
  constexpr std::int64_t kBlock = 64;
  alignas(64) double base[kBlock];
  alignas(64) double exponent[kBlock];
  for (std::int64_t i = 0; i < kBlock; ++i) {
    base[i] = i < count ? static_cast<double>(x[i]) : 1.0;
    exponent[i] = i < count ? static_cast<double>(y[i]) : 1.0;
  }
  for (std::int64_t i = 0; i < kBlock; i += kLanes<double>) {
    const auto product = logarithm(Batch<double>::load_aligned(base + i)) * Batch<double>::load_aligned(exponent + i);
    exponential(product).store_aligned(base + i);
  }
  for (std::int64_t i = 0; i < count; ++i) out[i] = static_cast<float>(base[i]);
  for (std::int64_t i = 0; i < count; ++i) {
    const bool ordinary = x[i] > 0.0F && x[i] - x[i] == 0.0F && y[i] - y[i] == 0.0F;
    if (!ordinary) out[i] = scalar_power(x[i], y[i]);
  }
}

template <typename T>
void power_loop(const std::byte* const* operands, std::byte* result, std::int64_t count) {
  const T* __restrict x = reinterpret_cast<const T*>(operands[0]);
  const T* __restrict y = reinterpret_cast<const T*>(operands[1]);
  T* __restrict out = reinterpret_cast<T*>(result);
  if constexpr (sizeof(T) == sizeof(float)) {
    for (std::int64_t i = 0; i < count; i += 64) power_block(x + i, y + i, out + i, count - i < 64 ? count - i : 64);
  } else {
    for (std::int64_t i = 0; i < count; ++i) out[i] = scalar_power(x[i], y[i]);
  }
}

}  // namespace
}  // namespace brim::kernels::BRIM_SIMD
