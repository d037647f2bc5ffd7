#include "kernels/simd/bitwise.h"
