#pragma once

#include <optional>
#include <vector>

#include "brim/machine.h"
#include "machine/system_files.h"

namespace brim::machine {

/// Everything that limits the memory of a new run: MemAvailable, each level of cgroup v1 and v2 that has a limit, less
/// what is held there and cannot be reclaimed, and `address_space_limit` (RLIMIT_AS).
std::vector<MemoryLimit> memory_limits(const SystemFiles& files, std::optional<Bytes> address_space_limit);

/// This process's RLIMIT_AS.
std::optional<Bytes> find_address_space_limit();

/// The smallest of them. Throws UsageError when there is none: the system tells nothing.
Bytes smallest(const std::vector<MemoryLimit>& limits);

}  // namespace brim::machine
