#include "pool/worker_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <array>
#include <boost/process/args.hpp>
#include <boost/process/child.hpp>
#include <boost/process/exe.hpp>
#include <boost/process/extend.hpp>
#include <boost/process/io.hpp>
#include <boost/process/posix.hpp>
#include <cerrno>
#include <cstring>

#include "brim/error.h"
#include "machine/worker_environment.h"

namespace brim::pool {
namespace {

namespace process = boost::process;

/// Above the standard streams and whatever else Boost.Process juggles with in the child.
constexpr int kFirstPassedDescriptor = 10;

[[noreturn]] void refuse(const std::string& program, int error) {
  std::string hint;
  if (error == ENOENT || error == EACCES || error == ENOEXEC)
    hint = "set BRIM_WORKER to the brim-worker program of this installation";
  else if (error == EMFILE || error == ENFILE)
    hint = "too many open files: raise the limit (ulimit -n) or run fewer workers";
  else if (error == EAGAIN || error == ENOMEM)
    hint = "too many processes or too little memory: raise the limit (ulimit -u) or run fewer workers";
  throw WorkerError(fmt::format("cannot start a worker process ({}): {}", program, std::strerror(error)), hint);
}

/// A copy that survives closed standard streams and does not leak into other programs.
Descriptor duplicate(int descriptor, const std::string& program) {
  Descriptor copy(fcntl(descriptor, F_DUPFD_CLOEXEC, kFirstPassedDescriptor));
  // A limit below the first one that is tried makes that an invalid argument.
  if (!copy.open()) refuse(program, errno == EINVAL ? EMFILE : errno);
  return copy;
}

/// Between fork and exec, where only system calls are safe: the worker gets the descriptors it is told of and none of
/// the embedding program's, and no blocked signals.
struct PassDescriptors : process::extend::handler {
  std::array<int, 2> passed;
  explicit PassDescriptors(std::array<int, 2> descriptors) : passed(descriptors) {}

  template <typename Executor>
  void on_exec_setup(Executor&) const {
    constexpr unsigned kFirst = 3;
    if (syscall(SYS_close_range, kFirst, ~0U, 4U /* CLOSE_RANGE_CLOEXEC */) != 0) {
      constexpr int kSearched = 4096;
      for (int descriptor = kFirst; descriptor < kSearched; ++descriptor) fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    }
    for (const int descriptor : passed)
      if (descriptor >= 0) fcntl(descriptor, F_SETFD, 0);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
  }
  /// Boost.Process leaves a child whose setup failed unwaited for, and it may have become a worker all the same.
  template <typename Executor>
  void on_error(Executor& executor, const std::error_code&) const {
    if (executor.pid <= 0) return;
    ::kill(executor.pid, SIGKILL);
    waitpid(executor.pid, nullptr, 0);
  }
};

}  // namespace

WorkerProcess::WorkerProcess(const PoolOptions& options) {
  if (access(options.program.c_str(), X_OK) != 0) refuse(options.program, errno);
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) refuse(options.program, errno);
  socket_ = Descriptor(ends[0]);
  const Descriptor raw_end(ends[1]);
  const Descriptor worker_end = duplicate(raw_end.number(), options.program);
  Descriptor arena;
  if (options.arena_descriptor >= 0) arena = duplicate(options.arena_descriptor, options.program);
  fcntl(socket_.number(), F_SETFL, O_NONBLOCK);

  auto arguments = options.arguments;
  arguments.push_back(fmt::format("--socket={}", worker_end.number()));
  arguments.push_back(fmt::format("--coordinator={}", getpid()));
  if (arena.open()) {
    arguments.push_back(fmt::format("--arena={}", arena.number()));
    arguments.push_back(fmt::format("--arena-bytes={}", options.arena_capacity.count()));
  }
  std::error_code error;
  process::child child(process::exe = options.program, process::args = arguments,
                       machine::UseEnvironment(machine::worker_environment()), process::std_in < process::null,
                       process::posix::fd.bind(1, 2), error, PassDescriptors({worker_end.number(), arena.number()}));
  // Where the library gets no descriptor for itself, it forgets to say so, or reports the use of the missing one.
  if (error.value() == EBADF || (!error && child.id() <= 0)) refuse(options.program, EMFILE);
  if (error) refuse(options.program, error.value());
  pid_ = child.id();
  child.detach();
  process_ = Descriptor(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)));
}

WorkerProcess::~WorkerProcess() {
  if (pid_ > 0) reap();
}

void WorkerProcess::kill() {
  if (pid_ <= 0) return;
  if (process_.open())
    syscall(SYS_pidfd_send_signal, process_.number(), SIGKILL, nullptr, 0);
  else
    ::kill(pid_, SIGKILL);
}

ExitStatus WorkerProcess::reap() {
  // A process that has begun to exit keeps its own status; one that has only closed its socket has no business any
  // more.
  kill();
  int raw = 0;
  pid_t result;
  do result = waitpid(pid_, &raw, 0);
  while (result < 0 && errno == EINTR);
  pid_ = -1;
  socket_.reset();
  process_.reset();
  ExitStatus status;
  if (result > 0 && WIFEXITED(raw)) status.code = WEXITSTATUS(raw);
  if (result > 0 && WIFSIGNALED(raw)) status.signal = WTERMSIG(raw);
  return status;
}

std::string ExitStatus::describe() const {
  if (code) return fmt::format("exit status {}", *code);
  if (signal) return fmt::format("signal {} ({})", *signal, strsignal(*signal));
  return "an unknown exit status";
}

}  // namespace brim::pool
