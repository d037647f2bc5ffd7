#include "machine/memory_limits.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>

#include "brim/error.h"
#include "machine/cgroup.h"

namespace brim::machine {
namespace {

/// cgroup v1 writes "no limit" as the largest page count; nobody has that much memory.
constexpr std::int64_t kUnlimited = std::int64_t{1} << 60;

/// One limit file of a cgroup, the file that tells how much of it is used, and what of that could be reclaimed.
void add_limit(const SystemFiles& files, const CgroupLevel& level, const std::string& limit_file,
               const std::string& usage_file, std::int64_t reclaimable, std::vector<MemoryLimit>& limits) {
  const auto limit = files.find_number(level.file(limit_file));
  if (!limit || *limit >= kUnlimited) return;
  const auto usage = files.find_number(level.file(usage_file)).value_or(0);
  const auto held = std::max<std::int64_t>(0, usage - reclaimable);
  const std::string version = level.version == CgroupVersion::kV1 ? "v1" : "v2";
  const std::string path = level.name == "/" ? "/" + limit_file : level.name + "/" + limit_file;
  limits.push_back({fmt::format("cgroup {} {}", version, path), Bytes(std::max<std::int64_t>(0, *limit - held))});
}

std::int64_t sum_fields(const SystemFiles& files, const std::string& path, std::initializer_list<const char*> keys) {
  std::int64_t sum = 0;
  for (const char* key : keys) sum += files.find_field(path, key).value_or(0);
  return sum;
}

void add_cgroup(const SystemFiles& files, const CgroupLevel& level, std::vector<MemoryLimit>& limits) {
  const auto stat = level.file("memory.stat");
  if (level.version == CgroupVersion::kV1) {
    const auto cache = sum_fields(files, stat, {"total_inactive_file", "total_active_file"});
    add_limit(files, level, "memory.limit_in_bytes", "memory.usage_in_bytes", cache, limits);
    add_limit(files, level, "memory.memsw.limit_in_bytes", "memory.memsw.usage_in_bytes", cache, limits);
  } else {
    const auto cache = sum_fields(files, stat, {"inactive_file", "active_file", "slab_reclaimable"});
    add_limit(files, level, "memory.max", "memory.current", cache, limits);
    add_limit(files, level, "memory.high", "memory.current", cache, limits);
  }
}

}  // namespace

std::vector<MemoryLimit> memory_limits(const SystemFiles& files, std::optional<Bytes> address_space_limit) {
  std::vector<MemoryLimit> limits;
  if (const auto available = files.find_field("/proc/meminfo", "MemAvailable"))
    limits.push_back({"MemAvailable", kibibytes(*available)});
  for (const auto& level : cgroup_levels(files, "memory")) add_cgroup(files, level, limits);
  // A worker maps all chunks and as much private memory again.
  if (address_space_limit)
    limits.push_back({"half of the address space limit (ulimit -v)", Bytes(address_space_limit->count() / 2)});
  return limits;
}

std::optional<Bytes> find_address_space_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur >= static_cast<rlim_t>(kUnlimited)) return std::nullopt;
  return Bytes(static_cast<std::int64_t>(limit.rlim_cur));
}

Bytes smallest(const std::vector<MemoryLimit>& limits) {
  const auto found =
      std::min_element(limits.begin(), limits.end(), [](const auto& a, const auto& b) { return a.amount < b.amount; });
  if (found == limits.end())
    throw UsageError("this system does not tell how much memory there is (no /proc/meminfo)",
                     "name a budget: --memory 8GiB");
  return found->amount;
}

}  // namespace brim::machine
