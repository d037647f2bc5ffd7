#include "kernels/hand_written_loop.h"
