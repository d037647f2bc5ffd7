#pragma once

#include "machine/system_files.h"

namespace brim::machine {

/// How many of `allowed` cores the cgroups' CPU quotas (every level, v1 and v2) let this process use: a part of a core
/// counts as one.
int cores_under_quota(const SystemFiles& files, int allowed);

/// The cores that this process may run on.
int allowed_cores();

}  // namespace brim::machine
