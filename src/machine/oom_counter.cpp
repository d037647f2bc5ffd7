#include "machine/oom_counter.h"

#include <fmt/format.h>

#include <utility>

#include "machine/cgroup.h"

namespace brim::machine {

OomCounter::OomCounter(SystemFiles files) : files_(std::move(files)), last_(read()) {}

OomCounter::Counts OomCounter::read() const {
  Counts counts;
  counts.system = files_.find_field("/proc/vmstat", "oom_kill").value_or(0);
  // The kernel counts a kill where the killed process was, and workers are where their coordinator is: the first level
  // that counts at all is the one.
  for (const auto& level : cgroup_levels(files_, "memory")) {
    const bool v1 = level.version == CgroupVersion::kV1;
    const std::string file = v1 ? "memory.oom_control" : "memory.events";
    const auto count = files_.find_field(level.file(file), "oom_kill");
    if (!count) continue;
    counts.cgroup = *count;
    counts.source = fmt::format("cgroup {} {} ({})", v1 ? "v1" : "v2", level.name, file);
    break;
  }
  return counts;
}

std::optional<std::string> OomCounter::find_new_kills() {
  const auto before = std::exchange(last_, read());
  const auto plural = [](std::int64_t count) { return count == 1 ? "1 process" : fmt::format("{} processes", count); };
  if (const auto killed = last_.cgroup - before.cgroup; killed > 0)
    return fmt::format("the kernel's out-of-memory killer ended {} of {}", plural(killed), last_.source);
  if (const auto killed = last_.system - before.system; killed > 0)
    return fmt::format("the kernel's out-of-memory killer ended {} on this machine (/proc/vmstat)", plural(killed));
  return std::nullopt;
}

}  // namespace brim::machine
