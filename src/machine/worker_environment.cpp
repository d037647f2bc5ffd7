#include "machine/worker_environment.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace brim::machine {
namespace {

constexpr std::array<std::string_view, 7> kOwn = {
    // Freed memory goes back to the system instead of into a cache that nobody accounts for, from one heap.
    "MALLOC_MMAP_THRESHOLD_=131072",
    "MALLOC_TRIM_THRESHOLD_=1048576",
    "MALLOC_TOP_PAD_=65536",
    "MALLOC_ARENA_MAX=1",
    // Threads are granted per task.
    "OMP_NUM_THREADS=1",
    "OPENBLAS_NUM_THREADS=1",
    // Chunks have one writer each; locks of the library would only refuse the others.
    "HDF5_USE_FILE_LOCKING=FALSE",
};

std::string_view name_of(std::string_view variable) { return variable.substr(0, variable.find('=')); }

bool is_own(std::string_view variable) {
  return std::any_of(kOwn.begin(), kOwn.end(), [&](std::string_view own) { return name_of(own) == name_of(variable); });
}

}  // namespace

std::vector<std::string> worker_environment() {
  std::vector<std::string> variables(kOwn.begin(), kOwn.end());
  for (char** inherited = environ; inherited != nullptr && *inherited != nullptr; ++inherited)
    if (!is_own(*inherited)) variables.emplace_back(*inherited);
  return variables;
}

}  // namespace brim::machine
