#pragma once

#include <cstdint>

/// The dew point as one fused loop, for the CPU it is compiled for.
namespace brim::bench {
namespace baseline {
void dew_point(const float* t2, const float* rh, float* out, std::int64_t count);
void dew_point(const double* t2, const double* rh, double* out, std::int64_t count);
}  // namespace baseline
namespace avx2 {
void dew_point(const float* t2, const float* rh, float* out, std::int64_t count);
void dew_point(const double* t2, const double* rh, double* out, std::int64_t count);
}  // namespace avx2
namespace avx512 {
void dew_point(const float* t2, const float* rh, float* out, std::int64_t count);
void dew_point(const double* t2, const double* rh, double* out, std::int64_t count);
}  // namespace avx512
}  // namespace brim::bench
