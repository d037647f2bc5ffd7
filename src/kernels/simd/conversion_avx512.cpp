#include "kernels/simd/conversion.h"
