#include "kernels/simd/arithmetic.h"
