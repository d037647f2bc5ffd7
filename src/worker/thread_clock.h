#pragma once

#include <cstdint>
#include <optional>

namespace brim::worker {

/// How long a thread had a core, or stood in line for one, so far. The rest of the time it waited for something else:
/// a disk, a network. On a busy machine CPU time alone cannot tell the two apart.
class ThreadClock {
 public:
  /// Of the calling thread.
  ThreadClock();
  ~ThreadClock();
  ThreadClock(const ThreadClock&) = delete;
  ThreadClock& operator=(const ThreadClock&) = delete;

  /// Nanoseconds, about 1 us to ask; nothing where the kernel does not count it.
  std::optional<std::int64_t> busy_ns() const;

 private:
  int file_;
};

}  // namespace brim::worker
