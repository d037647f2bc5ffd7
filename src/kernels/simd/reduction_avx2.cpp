#include "kernels/simd/reduction.h"
