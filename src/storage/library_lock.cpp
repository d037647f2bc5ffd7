#include "storage/library_lock.h"

namespace brim::storage {

LibraryLock::LibraryLock() {
  static std::recursive_mutex mutex;
  lock_ = std::unique_lock(mutex);
}

}  // namespace brim::storage
