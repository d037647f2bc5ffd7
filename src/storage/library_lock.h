#pragma once

#include <mutex>

namespace brim::storage {

/// Held around every use of the HDF5 library: as distributions build it, it is one big global state without locks, and
/// programs that embed brim may use it from several threads, as may the threads that share a task.
class LibraryLock {
 public:
  LibraryLock();

 private:
  std::unique_lock<std::recursive_mutex> lock_;
};

}  // namespace brim::storage
