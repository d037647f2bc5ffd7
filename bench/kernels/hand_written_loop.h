#pragma once

#include <xsimd/xsimd.hpp>

#include "kernels/hand_written.h"

namespace brim::bench::BENCH_SIMD {
namespace {

template <typename T>
void fused_loop(const T* t2, const T* rh, T* out, std::int64_t count) {
  using Batch = xsimd::batch<T>;
  constexpr auto kLanes = static_cast<std::int64_t>(Batch::size);
  const Batch scale(static_cast<T>(0.611));
  const Batch steepness(static_cast<T>(5423));
  const Batch freezing(static_cast<T>(1.0 / 273));
  const Batch percent(static_cast<T>(100));
  const Batch slope(static_cast<T>(0.0001844));
  const Batch one(static_cast<T>(1));
  const auto dew = [&](Batch t, Batch humidity) {
    const Batch es = scale * xsimd::exp(steepness * (freezing - one / t));
    const Batch e = es * humidity / percent;
    return one / (freezing - slope * xsimd::log(e / scale));
  };
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    dew(Batch::load_unaligned(t2 + i), Batch::load_unaligned(rh + i)).store_unaligned(out + i);
  for (; i < count; ++i) {
    alignas(64) T one_value[kLanes];
    dew(Batch(t2[i]), Batch(rh[i])).store_aligned(one_value);
    out[i] = one_value[0];
  }
}

}  // namespace

void dew_point(const float* t2, const float* rh, float* out, std::int64_t count) { fused_loop(t2, rh, out, count); }
void dew_point(const double* t2, const double* rh, double* out, std::int64_t count) { fused_loop(t2, rh, out, count); }

}  // namespace brim::bench::BENCH_SIMD
