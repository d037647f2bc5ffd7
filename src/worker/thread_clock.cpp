#include "worker/thread_clock.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <charconv>

namespace brim::worker {

ThreadClock::ThreadClock() : file_(open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)) {}

ThreadClock::~ThreadClock() {
  if (file_ >= 0) close(file_);
}

std::optional<std::int64_t> ThreadClock::busy_ns() const {
  std::array<char, 96> text{};  // run_ns wait_ns timeslices
  const auto count = file_ < 0 ? -1 : pread(file_, text.data(), text.size(), 0);
  if (count <= 0) return std::nullopt;
  const char* end = text.data() + count;
  std::int64_t run = 0;
  std::int64_t in_line = 0;
  const auto [after_run, run_status] = std::from_chars(text.data(), end, run);
  if (run_status != std::errc{} || after_run == end) return std::nullopt;
  if (std::from_chars(after_run + 1, end, in_line).ec != std::errc{} || run == 0) return std::nullopt;
  return run + in_line;
}

}  // namespace brim::worker
