#include "brim/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "brim/error.h"
#include "machine/cgroup.h"
#include "machine/cores.h"
#include "machine/huge_pages.h"
#include "machine/memory_limits.h"
#include "machine/oom_counter.h"
#include "machine/reserved_mem.h"
#include "machine/system_tree.h"
#include "machine/worker_program.h"

namespace brim::machine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// "source amount" of every limit.
std::vector<std::string> limit_lines(const SystemTree& tree, std::optional<Bytes> address_space = std::nullopt) {
  std::vector<std::string> lines;
  for (const auto& limit : memory_limits(tree.files(), address_space))
    lines.push_back(limit.source + " " + std::to_string(limit.amount.count()));
  return lines;
}

constexpr const char* kMemAvailableLine = "MemAvailable 24576000000";

TEST(MemoryLimits, EveryLevelOfVersion1CountsAndUnlimitedOnesDoNot) {
  SystemTree tree;
  put_v1(tree);
  EXPECT_THAT(limit_lines(tree),
              ElementsAre(kMemAvailableLine, "cgroup v1 /process_api/memory.limit_in_bytes " +
                                                 std::to_string(8589934592 - (3000000000 - 800000000))));
  EXPECT_EQ(smallest(memory_limits(tree.files(), {})), Bytes(6389934592));
}

TEST(MemoryLimits, MemoryWithSwapCountsInVersion1) {
  SystemTree tree;
  put_v1(tree);
  tree.put("/sys/fs/cgroup/memory/memory.memsw.limit_in_bytes", "1000000");
  tree.put("/sys/fs/cgroup/memory/memory.memsw.usage_in_bytes", "1500000");
  EXPECT_THAT(limit_lines(tree), testing::Contains("cgroup v1 /memory.memsw.limit_in_bytes 0")) << "never negative";
}

TEST(MemoryLimits, TheHighMarkOfVersion2Counts) {
  SystemTree tree;
  put_v2(tree);
  constexpr std::int64_t kHeld = 1073741824 - 373741824;
  EXPECT_THAT(limit_lines(tree),
              ElementsAre(kMemAvailableLine, "cgroup v2 /user.slice/memory.max " + std::to_string(4294967296 - kHeld),
                          "cgroup v2 /user.slice/memory.high " + std::to_string(2147483648 - kHeld)));
}

TEST(MemoryLimits, AContainerThatSeesOnlyItsOwnPartOfTheTreeReadsTheRootOfIt) {
  SystemTree tree;
  put_v1(tree);
  // The path is the host's, the mount is the container's.
  tree.put("/proc/self/cgroup", "4:memory:/docker/0123abcd\n");
  tree.put("/proc/self/mountinfo", "35 31 0:32 /docker/0123abcd /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n");
  tree.put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "6000000000\n");
  EXPECT_THAT(limit_lines(tree),
              ElementsAre(kMemAvailableLine, "cgroup v1 /memory.limit_in_bytes " + std::to_string(1000000000)));
  tree.put("/proc/self/mountinfo", "35 31 0:32 / /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n");
  EXPECT_EQ(limit_lines(tree).size(), 2U) << "a path that is nowhere to be seen";
  tree.put("/proc/self/cgroup", "4:memory:/../../outside\n");
  EXPECT_EQ(limit_lines(tree).size(), 2U) << "a path above the namespace";
}

TEST(MemoryLimits, APartOfTheTreeBelowTheMountIsFoundByItsRelativePath) {
  SystemTree tree;
  tree.put("/proc/meminfo", kMeminfo);
  tree.put("/proc/self/cgroup", "0::/kube/pod/container\n");
  tree.put("/proc/self/mountinfo", "41 31 0:38 /kube/pod /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
  tree.put("/sys/fs/cgroup/container/memory.max", "1000\n");
  tree.put("/sys/fs/cgroup/memory.max", "5000\n");
  EXPECT_THAT(limit_lines(tree),
              ElementsAre(kMemAvailableLine, "cgroup v2 /container/memory.max 1000", "cgroup v2 /memory.max 5000"));
}

TEST(MemoryLimits, HybridTreesGiveTheLimitsOfBoth) {
  SystemTree tree;
  put_v1(tree);
  tree.put("/sys/fs/cgroup/unified/memory.max", "77\n");
  EXPECT_THAT(limit_lines(tree), testing::Contains("cgroup v2 /memory.max 77"));
  EXPECT_EQ(limit_lines(tree).size(), 3U);
}

TEST(MemoryLimits, MissingFilesAndNonsenseAreNoLimits) {
  SystemTree tree;
  EXPECT_TRUE(limit_lines(tree).empty());
  EXPECT_THROW(smallest({}), UsageError);
  tree.put("/proc/meminfo", "MemTotal: 5 kB\nMemAvailableNot: 3 kB\n");
  tree.put("/proc/self/cgroup", "nonsense\n4:memory\n0::/a\n");
  tree.put("/proc/self/mountinfo", "short line\n41 31 0:38 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
  tree.put("/sys/fs/cgroup/a/memory.max", "lots\n");
  tree.put("/sys/fs/cgroup/a/memory.high", "");
  EXPECT_TRUE(limit_lines(tree).empty());
  tree.put("/sys/fs/cgroup/a/memory.max", "18446744073709551615\n");
  EXPECT_TRUE(limit_lines(tree).empty()) << "no limit, as some kernels write it";
}

TEST(MemoryLimits, HalfOfALimitedAddressSpaceCounts) {
  SystemTree tree;
  tree.put("/proc/meminfo", kMeminfo);
  EXPECT_THAT(limit_lines(tree, gibibytes(2)),
              ElementsAre(kMemAvailableLine, "half of the address space limit (ulimit -v) 1073741824"));
}

TEST(SafetyShare, IsFivePercentButAtLeast256MebibytesAndAtMostAQuarter) {
  EXPECT_EQ(safety_share(gibibytes(100)), gibibytes(5));
  EXPECT_EQ(safety_share(gibibytes(2)), mebibytes(256));
  EXPECT_EQ(safety_share(mebibytes(512)), mebibytes(128));
  EXPECT_EQ(safety_share(Bytes(0)), Bytes(0));
}

TEST(Cores, QuotasOfEveryLevelCountAndPartsOfACoreRoundUp) {
  SystemTree tree;
  put_v2(tree);
  EXPECT_EQ(cores_under_quota(tree.files(), 8), 2);
  EXPECT_EQ(cores_under_quota(tree.files(), 1), 1);
  tree.put("/sys/fs/cgroup/user.slice/job.scope/cpu.max", "1000 100000\n");
  EXPECT_EQ(cores_under_quota(tree.files(), 8), 1);
}

TEST(Cores, TheQuotaOfVersion1Counts) {
  SystemTree tree;
  put_v1(tree);
  EXPECT_EQ(cores_under_quota(tree.files(), 8), 8);
  tree.put("/sys/fs/cgroup/cpu,cpuacct/process_api/cpu.cfs_quota_us", "300000\n");
  tree.put("/sys/fs/cgroup/cpu,cpuacct/process_api/cpu.cfs_period_us", "100000\n");
  tree.put("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  EXPECT_EQ(cores_under_quota(tree.files(), 8), 3);
}

TEST(Cores, ThisProcessMayRunSomewhere) { EXPECT_GE(allowed_cores(), 1); }

TEST(OomCounter, ReportsEachKillOnce) {
  SystemTree tree;
  put_v2(tree);
  OomCounter counter(tree.files());
  EXPECT_EQ(counter.find_new_kills(), std::nullopt);
  tree.put("/sys/fs/cgroup/user.slice/job.scope/memory.events", "oom_kill 3\n");
  EXPECT_EQ(counter.find_new_kills(),
            "the kernel's out-of-memory killer ended 2 processes of cgroup v2 /user.slice/job.scope (memory.events)");
  EXPECT_EQ(counter.find_new_kills(), std::nullopt);
}

TEST(OomCounter, ReadsVersion1AndTheWholeMachine) {
  SystemTree tree;
  put_v1(tree);
  tree.put("/proc/vmstat", "nr_free_pages 5\noom_kill 8\n");
  OomCounter counter(tree.files());
  tree.put("/proc/vmstat", "oom_kill 9\n");
  EXPECT_THAT(counter.find_new_kills().value_or(""), HasSubstr("1 process on this machine"));
  tree.put("/sys/fs/cgroup/memory/process_api/e003/memory.oom_control", "oom_kill 4\n");
  EXPECT_THAT(counter.find_new_kills().value_or(""), HasSubstr("1 process of cgroup v1 /process_api/e003"));
}

TEST(HugePages, TheSettingInForceIsTheOneInBrackets) {
  SystemTree tree;
  EXPECT_EQ(huge_pages(tree.files()).private_memory, "");
  EXPECT_EQ(huge_pages(tree.files()).advice, "") << "a kernel without huge pages cannot be helped";
  const std::string folder = "/sys/kernel/mm/transparent_hugepage/";
  tree.put(folder + "enabled", "always [madvise] never\n");
  tree.put(folder + "shmem_enabled", "always within_size advise [never] deny force\n");
  const auto pages = huge_pages(tree.files());
  EXPECT_EQ(pages.private_memory, "madvise");
  EXPECT_EQ(pages.shared_memory, "never");
  EXPECT_EQ(pages.advice, "");
  tree.put(folder + "enabled", "always madvise [never]\n");
  EXPECT_THAT(huge_pages(tree.files()).advice, HasSubstr("hugepage/enabled"));
}

TEST(WorkerProgram, IsLookedForBesideTheExecutableAndInBothPrefixes) {
  EXPECT_THAT(
      worker_program_places("/opt/app/bin/app", "/usr/lib/x86_64-linux-gnu/libbrim.so.0"),
      ElementsAre("/opt/app/bin/brim-worker", "/opt/app/libexec/brim/brim-worker", "/usr/lib/libexec/brim/brim-worker",
                  "/usr/lib/bin/brim-worker", "/usr/libexec/brim/brim-worker", "/usr/bin/brim-worker"));
}

/// Sets a variable of the environment, and puts it back.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    setenv(name, value.c_str(), 1);
  }
  ~Variable() { old_ ? setenv(name_, old_->c_str(), 1) : unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> old_;
};

/// A shell script that stands for the worker program.
class Script {
 public:
  explicit Script(const std::string& body)
      : path_((std::filesystem::temp_directory_path() /
               ("brim-script-" + std::to_string(getpid()) + "-" + std::to_string(++count_)))
                  .string()) {
    std::ofstream(path_) << "#!/bin/sh\n" << body << "\n";
    std::filesystem::permissions(path_, std::filesystem::perms::owner_all);
  }
  ~Script() { std::filesystem::remove(path_); }
  Script(const Script&) = delete;
  Script& operator=(const Script&) = delete;
  const std::string& path() const { return path_; }

 private:
  static inline int count_ = 0;  // no two are the same program
  std::string path_;
};

TEST(WorkerProgram, TheEnvironmentDecidesAndAWrongOneIsAnError) {
  const Script script("exit 0");
  {
    const Variable variable("BRIM_WORKER", script.path());
    EXPECT_EQ(worker_program(), script.path());
  }
  const Variable variable("BRIM_WORKER", "/no/such/program");
  try {
    worker_program();
    FAIL() << "it was found";
  } catch (const WorkerError& error) {
    EXPECT_THAT(error.record().what, HasSubstr("/no/such/program"));
    EXPECT_THAT(error.record().hint, HasSubstr("brim-worker"));
  }
}

TEST(ReservedMem, IsWhatTheWorkerPrintsRoundedUpWithHeadroom) {
  const Script script("test \"$1\" = --measure && echo 1048577");
  EXPECT_EQ(measure_reserved_mem(script.path()), mebibytes(8)) << "1 MiB and a byte, 4 MiB headroom, in steps of 4 MiB";
}

TEST(ReservedMem, IsMeasuredOncePerProgram) {
  const Script script("echo 1000; echo >> \"$0.count\"");
  EXPECT_EQ(reserved_mem(script.path()), reserved_mem(script.path()));
  EXPECT_EQ(std::filesystem::file_size(script.path() + ".count"), 1U);
  std::filesystem::remove(script.path() + ".count");
}

TEST(ReservedMem, AProgramThatPrintsSomethingElseIsAnError) {
  EXPECT_THROW(measure_reserved_mem(Script("echo hello").path()), WorkerError);
  EXPECT_THROW(measure_reserved_mem(Script("exit 1").path()), WorkerError);
  EXPECT_THROW(measure_reserved_mem("/no/such/program"), WorkerError);
}

TEST(ThisMachine, HasABudgetBelowWhatIsAvailable) {
  const Script script("echo 20000000");
  const Variable variable("BRIM_WORKER", script.path());
  const auto machine = this_machine();
  EXPECT_GE(machine.cores, 1);
  EXPECT_GT(machine.memory_total, Bytes(0));
  EXPECT_FALSE(machine.limits.empty());
  EXPECT_GT(machine.budget, Bytes(0));
  EXPECT_EQ(machine.budget, machine.memory_available - machine.safety_share);
  EXPECT_EQ(machine.reserved_mem, mebibytes(20) + kIdleHeadroom);
  EXPECT_GT(memory_available_now(), Bytes(0));
  for (const auto& limit : machine.limits) EXPECT_LE(machine.memory_available, limit.amount) << limit.source;
}

}  // namespace
}  // namespace brim::machine
