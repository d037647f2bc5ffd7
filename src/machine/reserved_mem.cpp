#include "machine/reserved_mem.h"

#include <fmt/format.h>

#include <boost/process/args.hpp>
#include <boost/process/child.hpp>
#include <boost/process/exe.hpp>
#include <boost/process/io.hpp>
#include <boost/process/pipe.hpp>
#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>

#include "brim/error.h"
#include "machine/worker_environment.h"

namespace brim::machine {
namespace {

namespace process = boost::process;

constexpr Bytes kStep = mebibytes(4);

[[noreturn]] void refuse(
    const std::string& program, const std::string& why,
    const std::string& hint = "the program may belong to another brim: check BRIM_WORKER and the installation") {
  throw WorkerError(fmt::format("cannot measure a worker ({} --measure): {}", program, why), hint);
}

[[noreturn]] void refuse_start(const std::string& program, int error) {
  if (error == EMFILE || error == ENFILE) refuse(program, std::strerror(error), "raise the limit: ulimit -n");
  if (error == EAGAIN || error == ENOMEM)
    refuse(program, std::strerror(error), "too many processes or too little memory: raise the limit (ulimit -u)");
  refuse(program, std::strerror(error));
}

/// What an idle worker says of itself; nothing when it died before.
std::int64_t ask(const std::string& program) {
  process::ipstream output;
  std::error_code error;
  process::child child(process::exe = program, process::args = {"--measure"}, UseEnvironment(worker_environment()),
                       process::std_in<process::null, process::std_out> output, error);
  // Where the library gets no descriptor for itself, it forgets to say so, or reports the use of the missing one.
  if (error.value() == EBADF || (!error && child.id() <= 0)) refuse_start(program, EMFILE);
  if (error) refuse_start(program, error.value());
  std::int64_t rss = 0;
  output >> rss;
  // An embedding program that ignores SIGCHLD takes the status away; the figure is what counts.
  child.wait(error);
  return rss;
}

}  // namespace

Bytes measure_reserved_mem(const std::string& program) {
  // As in a run: a worker that somebody kills is replaced.
  constexpr int kAttempts = 3;
  std::int64_t rss = 0;
  for (int attempt = 0; rss <= 0 && attempt < kAttempts; ++attempt) rss = ask(program);
  if (rss <= 0) refuse(program, "it printed no number");
  // Coarse steps: two measurements of the same program differ by some hundred KiB, and plans of two processes that
  // measure for themselves should agree to the byte.
  const auto steps = (rss + kIdleHeadroom.count() + kStep.count() - 1) / kStep.count();
  return kStep * steps;
}

Bytes reserved_mem(const std::string& program) {
  static std::mutex mutex;
  static std::map<std::string, Bytes> measured;
  const std::lock_guard lock(mutex);
  const auto found = measured.find(program);
  if (found != measured.end()) return found->second;
  return measured.emplace(program, measure_reserved_mem(program)).first->second;
}

}  // namespace brim::machine
