#pragma once

#include <cstdint>

namespace brim::machine {

/// Whether somebody has stopped this process (SIGSTOP) so that it does nothing until it is told to go on. Not one that
/// a debugger holds.
bool is_stopped(std::int64_t pid);

}  // namespace brim::machine
