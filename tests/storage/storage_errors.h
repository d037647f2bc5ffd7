#pragma once

#include <unistd.h>

#include <string>

#include "brim/error.h"

namespace brim::storage {

/// The message of the StorageError that the work throws, or "no error".
template <typename Work>
std::string storage_error_of(Work work) {
  try {
    work();
  } catch (const StorageError& error) {
    return error.what();
  }
  return "no error";
}

/// Gives up root's right to everything while it lives; nothing for others, who never had it.
class AsOrdinaryUser {
 public:
  AsOrdinaryUser() : was_root_(geteuid() == 0) {
    constexpr uid_t kNobody = 65534;
    if (was_root_ && seteuid(kNobody) != 0) was_root_ = false;
  }
  ~AsOrdinaryUser() {
    if (was_root_ && seteuid(0) != 0) _exit(1);
  }
  AsOrdinaryUser(const AsOrdinaryUser&) = delete;
  AsOrdinaryUser& operator=(const AsOrdinaryUser&) = delete;

 private:
  bool was_root_;
};

}  // namespace brim::storage
