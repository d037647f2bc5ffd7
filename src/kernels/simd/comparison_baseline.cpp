#include "kernels/simd/comparison.h"
