#include "worker/process_memory.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <string_view>

#include "core/check.h"

namespace brim::worker {
namespace {

constexpr std::int64_t kPage = 4096;

using Buffer = std::array<char, 4096>;

/// The file from its start; proc files are made anew at each read.
std::string_view read_all(int descriptor, Buffer& buffer) {
  const auto count = pread(descriptor, buffer.data(), buffer.size(), 0);
  check(count > 0, "/proc/self cannot be read");
  return {buffer.data(), static_cast<std::size_t>(count)};
}

/// The number at the front, which is cut off together with the blanks before it.
std::int64_t take_number(std::string_view& text) {
  const auto start = text.find_first_not_of(" \t");
  check(start != std::string_view::npos, "a number is missing in /proc/self");
  text.remove_prefix(start);
  std::int64_t number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  check(status == std::errc{}, "a number is missing in /proc/self");
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

std::int64_t nanoseconds(const timeval& time) { return time.tv_sec * 1'000'000'000LL + time.tv_usec * 1'000LL; }

}  // namespace

ProcessMemory::ProcessMemory()
    : statm_(open("/proc/self/statm", O_RDONLY | O_CLOEXEC)),
      status_(open("/proc/self/status", O_RDONLY | O_CLOEXEC)),
      clear_refs_(open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC)) {}

ProcessMemory::~ProcessMemory() {
  for (const int descriptor : {statm_, status_, clear_refs_})
    if (descriptor >= 0) close(descriptor);
}

MemoryCounts ProcessMemory::counts() const {
  Buffer buffer;
  auto text = read_all(statm_, buffer);
  std::array<std::int64_t, 6> fields{};  // size resident shared text lib data
  for (auto& field : fields) field = take_number(text);
  return {Bytes(fields[1] * kPage), Bytes(fields[2] * kPage), Bytes(fields[5] * kPage)};
}

Bytes ProcessMemory::peak_resident() const {
  Buffer buffer;
  auto text = read_all(status_, buffer);
  constexpr std::string_view kKey = "VmHWM:";
  const auto found = text.find(kKey);
  check(found != std::string_view::npos, "VmHWM is missing in /proc/self/status");
  text.remove_prefix(found + kKey.size());
  return kibibytes(take_number(text));
}

void ProcessMemory::reset_peak() const {
  // Where it is refused, peaks stay too high: never too low.
  if (write(clear_refs_, "5", 1) < 0) return;
}

ProcessTimes process_times() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return {usage.ru_minflt, nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime)};
}

}  // namespace brim::worker
