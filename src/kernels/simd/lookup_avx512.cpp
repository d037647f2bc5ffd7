#include "kernels/simd/lookup.h"
