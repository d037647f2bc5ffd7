#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "machine/system_files.h"

namespace brim::machine {

/// A made-up tree of the kernel's files.
class SystemTree {
 public:
  SystemTree() {
    std::string name = (std::filesystem::temp_directory_path() / "brim-system-XXXXXX").string();
    root_ = mkdtemp(name.data());
  }
  ~SystemTree() { std::filesystem::remove_all(root_); }
  SystemTree(const SystemTree&) = delete;
  SystemTree& operator=(const SystemTree&) = delete;

  SystemTree& put(const std::string& path, const std::string& text) {
    const std::filesystem::path file = root_ + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
    return *this;
  }
  void remove(const std::string& path) { std::filesystem::remove_all(root_ + path); }
  SystemFiles files() const { return {root_}; }

 private:
  std::string root_;
};

inline constexpr const char* kMeminfo =
    "MemTotal:       24683652 kB\nMemFree:        22000000 kB\nMemAvailable:   24000000 kB\n";

/// cgroup v1 with nested memory groups, beside an empty v2: as an old container service mounts them.
inline void put_v1(SystemTree& tree) {
  tree.put("/proc/meminfo", kMeminfo);
  tree.put("/proc/self/cgroup", "9:name=systemd:/\n4:memory:/process_api/e003\n1:cpu,cpuacct:/process_api\n0::/\n");
  tree.put("/proc/self/mountinfo",
           "31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755\n"
           "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct\n"
           "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime shared:9 master:2 - cgroup cgroup rw,memory\n"
           "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n");
  const std::string memory = "/sys/fs/cgroup/memory";
  tree.put(memory + "/memory.limit_in_bytes", "9223372036854771712\n");
  tree.put(memory + "/memory.usage_in_bytes", "5000000000\n");
  tree.put(memory + "/process_api/memory.limit_in_bytes", "8589934592\n");
  tree.put(memory + "/process_api/memory.usage_in_bytes", "3000000000\n");
  tree.put(memory + "/process_api/memory.stat",
           "cache 900\ninactive_file 1\ntotal_cache 900000000\ntotal_inactive_file 500000000\ntotal_active_file "
           "300000000\n");
  tree.put(memory + "/process_api/e003/memory.limit_in_bytes", "9223372036854771712\n");
  tree.put(memory + "/process_api/e003/memory.usage_in_bytes", "1000000\n");
  tree.put(memory + "/process_api/e003/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n");
}

/// cgroup v2, three levels, memory.high below memory.max in the middle.
inline void put_v2(SystemTree& tree) {
  tree.put("/proc/meminfo", kMeminfo);
  tree.put("/proc/self/cgroup", "0::/user.slice/job.scope\n");
  tree.put("/proc/self/mountinfo", "41 31 0:38 / /sys/fs/cgroup rw,relatime - cgroup2 cgroup2 rw\n");
  const std::string user = "/sys/fs/cgroup/user.slice";
  tree.put(user + "/memory.max", "4294967296\n");
  tree.put(user + "/memory.high", "2147483648\n");
  tree.put(user + "/memory.current", "1073741824\n");
  tree.put(user + "/memory.stat",
           "anon 5\ninactive_file 100000000\nactive_file 200000000\nslab_reclaimable 73741824\n");
  tree.put(user + "/cpu.max", "150000 100000\n");
  tree.put(user + "/job.scope/memory.max", "max\n");
  tree.put(user + "/job.scope/memory.high", "max\n");
  tree.put(user + "/job.scope/memory.current", "4096\n");
  tree.put(user + "/job.scope/memory.events", "low 0\nhigh 0\nmax 7\noom 1\noom_kill 1\noom_group_kill 0\n");
  tree.put(user + "/job.scope/cpu.max", "max 100000\n");
}

}  // namespace brim::machine
