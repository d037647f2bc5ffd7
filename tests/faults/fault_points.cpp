// Loaded with LD_PRELOAD into the programs under test: does harm at the Nth call of one system function, in the
// coordinator or in workers. The environment says what:
//   BRIM_FAULT="ROLE CALL NUMBER DEED WHEN"   for example "worker pwrite 3 kill after", "coordinator rename 1 5 before"
//     ROLE    worker or coordinator
//     DEED    kill, stop, slow, or an error number that the call returns
//     WHEN    before or after the call is made
//   BRIM_FAULT_TOKENS=PREFIX   a deed is done once for each of the files PREFIX0, PREFIX1, ...; whoever removes one
//                              may do it
// "clock" as CALL makes the wall clock jump back and forth by hours from its Nth reading on.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>

namespace {

enum class Deed : std::uint8_t { kNone, kKill, kStop, kSlow, kError };

struct Fault {
  std::string call;
  long number = 0;
  Deed deed = Deed::kNone;
  int error = 0;
  bool after = false;
};

std::string next_word(std::string& text) {
  const auto end = std::min(text.find(' '), text.size());
  auto word = text.substr(0, end);
  text.erase(0, end + 1);
  return word;
}

Fault read_fault() {
  const char* variable = std::getenv("BRIM_FAULT");
  if (variable == nullptr) return {};
  std::string text = variable;
  const bool is_worker = std::strcmp(program_invocation_short_name, "brim-worker") == 0;
  if (next_word(text) != (is_worker ? "worker" : "coordinator")) return {};
  Fault fault;
  fault.call = next_word(text);
  fault.number = std::atol(next_word(text).c_str());
  const auto deed = next_word(text);
  fault.after = next_word(text) == "after";
  if (deed == "kill") fault.deed = Deed::kKill;
  if (deed == "stop") fault.deed = Deed::kStop;
  if (deed == "slow") fault.deed = Deed::kSlow;
  if (fault.deed == Deed::kNone) {
    fault.deed = Deed::kError;
    fault.error = std::atoi(deed.c_str());
  }
  return fault;
}

const Fault& fault() {
  static const Fault kFault = read_fault();
  return kFault;
}

bool take_token() {
  constexpr int kMostTokens = 8;
  const char* prefix = std::getenv("BRIM_FAULT_TOKENS");
  if (prefix == nullptr) return false;
  for (int i = 0; i < kMostTokens; ++i)
    if (unlink((prefix + std::to_string(i)).c_str()) == 0) return true;
  return false;
}

std::atomic<long> calls{0};

/// Counts a call; true when this is the one.
bool is_due(const char* call) {
  if (fault().deed == Deed::kNone || fault().call != call) return false;
  const int before = errno;
  const bool due = ++calls >= fault().number && take_token();
  errno = before;
  return due;
}

void hurt() {
  constexpr useconds_t kSlowMicroseconds = 60'000;
  if (fault().deed == Deed::kKill) raise(SIGKILL);
  if (fault().deed == Deed::kStop) raise(SIGSTOP);
  if (fault().deed == Deed::kSlow) usleep(kSlowMicroseconds);
}

/// Makes the call, or not, with the deed around it.
template <typename Result, typename Function, typename... Arguments>
Result perform(const char* call, const char* symbol, Function, Arguments... arguments) {
  const auto real = reinterpret_cast<Function>(dlsym(RTLD_NEXT, symbol));
  const bool due = is_due(call);
  if (due && fault().deed == Deed::kError) {
    errno = fault().error;
    return Result(-1);
  }
  if (due && !fault().after) hurt();
  const Result result = real(arguments...);
  const int error = errno;
  if (due && fault().after) hurt();
  errno = error;
  return result;
}

int perform_open(const char* symbol, const char* name, int flags, mode_t mode) {
  return perform<int>("open", symbol, static_cast<int (*)(const char*, int, ...)>(nullptr), name, flags, mode);
}

mode_t mode_of(int flags, va_list arguments) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
}

}  // namespace

namespace {
/// What the kernel tells of processes and limits has no size, and its reads do not fail.
bool is_data(int descriptor) {
  struct stat status {};
  return fstat(descriptor, &status) == 0 && status.st_size > 0;
}
}  // namespace

extern "C" {

ssize_t pread(int descriptor, void* data, size_t size, off_t offset) {
  if (!is_data(descriptor)) return pread64(descriptor, data, size, offset);
  return perform<ssize_t>("pread", "pread", &pread, descriptor, data, size, offset);
}
ssize_t pwrite(int descriptor, const void* data, size_t size, off_t offset) {
  return perform<ssize_t>("pwrite", "pwrite", &pwrite, descriptor, data, size, offset);
}
ssize_t recv(int descriptor, void* data, size_t size, int flags) {
  return perform<ssize_t>("recv", "recv", &recv, descriptor, data, size, flags);
}
ssize_t send(int descriptor, const void* data, size_t size, int flags) {
  return perform<ssize_t>("send", "send", &send, descriptor, data, size, flags);
}
int ftruncate(int descriptor, off_t size) noexcept {
  return perform<int>("ftruncate", "ftruncate", &ftruncate, descriptor, size);
}
int fallocate(int descriptor, int mode, off_t start, off_t size) {
  return perform<int>("fallocate", "fallocate", &fallocate, descriptor, mode, start, size);
}
int memfd_create(const char* name, unsigned flags) noexcept {
  return perform<int>("memfd_create", "memfd_create", &memfd_create, name, flags);
}
int rename(const char* from, const char* to) noexcept { return perform<int>("rename", "rename", &rename, from, to); }
int socketpair(int domain, int type, int protocol, int* ends) noexcept {
  return perform<int>("socketpair", "socketpair", &socketpair, domain, type, protocol, ends);
}
pid_t fork() noexcept { return perform<pid_t>("fork", "fork", &fork); }

int open(const char* name, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return perform_open("open", name, flags, mode);
}
int open64(const char* name, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return perform_open("open64", name, flags, mode);
}

int clock_gettime(clockid_t clock, timespec* time) noexcept {
  static const auto kReal = reinterpret_cast<int (*)(clockid_t, timespec*)>(dlsym(RTLD_NEXT, "clock_gettime"));
  const int result = kReal(clock, time);
  if (clock != CLOCK_REALTIME || fault().call != "clock") return result;
  constexpr long kHour = 3600;
  const auto number = ++calls;
  if (number >= fault().number) time->tv_sec += (number % 2 == 0 ? 5 : -3) * kHour;
  return result;
}

}  // extern "C"

namespace {
/// "start": as soon as the program is loaded.
[[gnu::constructor]] void on_start() {
  if (is_due("start")) hurt();
}
}  // namespace
