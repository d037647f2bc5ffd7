#include "brim/machine.h"

#include <algorithm>

#include "machine/cores.h"
#include "machine/huge_pages.h"
#include "machine/memory_limits.h"
#include "machine/reserved_mem.h"

namespace brim {
namespace {

/// Bounds what a program that only runs brim holds as coordinator: code, libraries, HDF5, the plan and the frontier of
/// a run. Array data never passes through it, so that does not grow with the data. Measured: 14 to 20 MiB resident, for
/// runs of two to 300,000 tasks.
constexpr Bytes kCoordinatorMem = mebibytes(32);

}  // namespace

Bytes safety_share(Bytes available) {
  const Bytes share = std::max(mebibytes(256), Bytes(available.count() / 20));
  return std::min(share, Bytes(available.count() / 4));
}

Bytes memory_available_now() {
  return machine::smallest(machine::memory_limits({}, machine::find_address_space_limit()));
}

HugePages huge_pages() { return machine::huge_pages({}); }

Machine this_machine() {
  const machine::SystemFiles files;
  Machine result;
  result.cores = machine::cores_under_quota(files, machine::allowed_cores());
  result.memory_total = kibibytes(files.find_field("/proc/meminfo", "MemTotal").value_or(0));
  result.limits = machine::memory_limits(files, machine::find_address_space_limit());
  result.memory_available = machine::smallest(result.limits);
  result.safety_share = safety_share(result.memory_available);
  result.budget = result.memory_available - result.safety_share;
  result.reserved_mem = machine::reserved_mem(worker_program());
  result.coordinator_mem = kCoordinatorMem;
  return result;
}

}  // namespace brim
