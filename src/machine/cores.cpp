#include "machine/cores.h"

#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <sstream>
#include <thread>

#include "machine/cgroup.h"

namespace brim::machine {
namespace {

/// A CPU quota: so many microseconds in each period.
struct Quota {
  std::int64_t share = 0;
  std::int64_t period = 0;
};

std::optional<Quota> find_quota(const SystemFiles& files, const CgroupLevel& level) {
  Quota quota;
  if (level.version == CgroupVersion::kV1) {
    quota.share = files.find_number(level.file("cpu.cfs_quota_us")).value_or(-1);
    quota.period = files.find_number(level.file("cpu.cfs_period_us")).value_or(0);
  } else {
    std::istringstream text(files.find_text(level.file("cpu.max")).value_or(""));
    if (!(text >> quota.share >> quota.period)) return std::nullopt;  // "max 100000"
  }
  if (quota.share <= 0 || quota.period <= 0) return std::nullopt;
  return quota;
}

}  // namespace

int cores_under_quota(const SystemFiles& files, int allowed) {
  std::int64_t cores = allowed;
  for (const auto& level : cgroup_levels(files, "cpu"))
    if (const auto quota = find_quota(files, level))
      cores = std::min(cores, (quota->share + quota->period - 1) / quota->period);
  return static_cast<int>(std::max<std::int64_t>(1, cores));
}

int allowed_cores() {
  // The kernel refuses masks that are shorter than its own.
  for (int size = 1024; size <= (1 << 20); size *= 2) {
    cpu_set_t* mask = CPU_ALLOC(static_cast<std::size_t>(size));
    if (mask == nullptr) break;
    const auto bytes = CPU_ALLOC_SIZE(static_cast<std::size_t>(size));
    const bool known = sched_getaffinity(0, bytes, mask) == 0;
    const int count = known ? CPU_COUNT_S(bytes, mask) : 0;
    const bool too_short = !known && errno == EINVAL;
    CPU_FREE(mask);
    if (known) return std::max(1, count);
    if (!too_short) break;
  }
  return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

}  // namespace brim::machine
