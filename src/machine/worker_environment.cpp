#include "machine/worker_environment.h"

namespace brim::machine {

std::vector<std::pair<std::string, std::string>> worker_environment() {
  return {
      // Freed memory goes back to the system instead of into a cache that nobody accounts for, from one heap.
      {"MALLOC_MMAP_THRESHOLD_", "131072"},
      {"MALLOC_TRIM_THRESHOLD_", "1048576"},
      {"MALLOC_TOP_PAD_", "65536"},
      {"MALLOC_ARENA_MAX", "1"},
      // Threads are granted per task.
      {"OMP_NUM_THREADS", "1"},
      {"OPENBLAS_NUM_THREADS", "1"},
      // Chunks have one writer each; locks of the library would only refuse the others.
      {"HDF5_USE_FILE_LOCKING", "FALSE"},
  };
}

}  // namespace brim::machine
