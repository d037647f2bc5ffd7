#include "kernels/simd/math.h"
