#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "machine/system_files.h"

namespace brim::machine {

/// Tells whether the kernel's out-of-memory killer has been at work, to explain a worker's SIGKILL.
class OomCounter {
 public:
  /// Remembers the counters as they are now.
  explicit OomCounter(SystemFiles files = {});

  /// What has been killed since the last call or the start, for people; nothing when nothing was. One line: "the
  /// kernel's out-of-memory killer ended 1 process of cgroup v2 /job (memory.events)".
  std::optional<std::string> find_new_kills();

 private:
  struct Counts {
    std::int64_t cgroup = 0;
    std::int64_t system = 0;
    std::string source;  ///< of the cgroup's count
  };
  Counts read() const;

  SystemFiles files_;
  Counts last_;
};

}  // namespace brim::machine
