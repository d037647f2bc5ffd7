#pragma once

#include <optional>

#include "pool/protocol.h"

namespace brim::worker {

/// Holds the process to its grant: its soft RLIMIT_DATA, beyond which the system refuses memory and malloc fails.
///
/// The worker sets it, not the coordinator as first planned: the next task waits in the worker's socket, so only the
/// worker knows when one ends and the other begins. Off under sanitizers, which need memory of their own.
class GrantLimit {
 public:
  /// Room for what allocators round up and hold back.
  static constexpr Bytes kSlack = mebibytes(2);

  GrantLimit() = default;
  ~GrantLimit() { lift(); }
  GrantLimit(const GrantLimit&) = delete;
  GrantLimit& operator=(const GrantLimit&) = delete;

  /// `idle_data` is the private address space outside the scratch memory now, `scratch` what the scratch memory will
  /// take. A system call only when the limit differs from the last.
  void set(Bytes idle_data, Bytes scratch, Bytes library);
  /// Back to what the process was started with.
  void lift();

 private:
  std::optional<Bytes> limit_;
};

}  // namespace brim::worker
