#pragma once

#include <cstdint>

#include "brim/bytes.h"

namespace brim::machine {

/// Whether somebody has stopped this process (SIGSTOP) so that it does nothing until it is told to go on. Not one that
/// a debugger holds.
bool is_stopped(std::int64_t pid);

/// What this process holds alone, in pages that are there; 0 when there is no such process.
Bytes private_memory(std::int64_t pid);

}  // namespace brim::machine
