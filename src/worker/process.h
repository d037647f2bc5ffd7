#pragma once

#include "worker/loop.h"

namespace brim::worker {

/// The worker program: what its main() returns. Reads the command line that pool::Pool starts it with, or --measure,
/// makes sure that it dies with its coordinator and that a terminal's signals do not reach it, and runs the loop.
int run_process(int argument_count, char** arguments, WorkerCode code);

}  // namespace brim::worker
