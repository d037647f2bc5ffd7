#pragma once

#include <string>

#include "brim/bytes.h"

namespace brim::machine {

/// What an idle worker of this program holds: starts it once with --measure and reads what it prints, rounded up to
/// whole MiB, with 2 MiB on top for the messages and ops that a working worker keeps. Throws WorkerError.
Bytes measure_reserved_mem(const std::string& program);

/// The same, measured once per process and program.
Bytes reserved_mem(const std::string& program);

}  // namespace brim::machine
