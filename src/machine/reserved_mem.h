#pragma once

#include <string>

#include "brim/bytes.h"

namespace brim::machine {

/// Part of reserved_mem for what a worker gathers once it works: messages, ops, code pages first run. What a task is
/// measured to take begins beyond it.
inline constexpr Bytes kIdleHeadroom = mebibytes(4);

/// What an idle worker of this program holds: starts it once with --measure and reads what it prints, adds
/// kIdleHeadroom and rounds up to 4 MiB. Throws WorkerError.
Bytes measure_reserved_mem(const std::string& program);

/// The same, measured once per process and program.
Bytes reserved_mem(const std::string& program);

}  // namespace brim::machine
