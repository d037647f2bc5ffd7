#pragma once

#include <string>
#include <vector>

#include "machine/system_files.h"

namespace brim::machine {

enum class CgroupVersion { kV1, kV2 };

/// One control group that this process is in, its own or an ancestor.
struct CgroupLevel {
  CgroupVersion version = CgroupVersion::kV2;
  std::string name;       ///< for people: "/user.slice/session-1.scope", as far as it is visible from here
  std::string directory;  ///< where its files are

  std::string file(const std::string& name_in_directory) const { return directory + "/" + name_in_directory; }
};

/// Every visible level that may hold limits of `controller` ("memory", "cpu"), own levels first, v1 before v2. A path
/// that is not visible (a container that sees only its part of the tree) counts as the root of what is mounted.
std::vector<CgroupLevel> cgroup_levels(const SystemFiles& files, const std::string& controller);

}  // namespace brim::machine
