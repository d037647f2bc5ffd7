#include "worker/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <charconv>
#include <csignal>
#include <cstdio>
#include <exception>
#include <optional>
#include <string_view>

#include "brim/error.h"
#include "worker/warm_up.h"

namespace brim::worker {
namespace {

constexpr int kUsageExit = 2;
constexpr int kBrokenExit = 70;

struct CommandLine {
  bool measure = false;
  std::optional<std::int64_t> socket;
  std::optional<std::int64_t> coordinator;
  std::optional<std::int64_t> arena;
  std::int64_t arena_bytes = 0;
};

std::optional<std::int64_t> find_value(std::string_view argument, std::string_view name) {
  if (!argument.starts_with(name)) return std::nullopt;
  argument.remove_prefix(name.size());
  std::int64_t value = 0;
  const auto [end, status] = std::from_chars(argument.data(), argument.data() + argument.size(), value);
  if (status != std::errc{} || end != argument.data() + argument.size()) return std::nullopt;
  return value;
}

CommandLine read_command_line(int count, char** arguments) {
  CommandLine result;
  for (int i = 1; i < count; ++i) {
    const std::string_view argument = arguments[i];
    if (argument == "--measure") result.measure = true;
    if (const auto value = find_value(argument, "--socket=")) result.socket = value;
    if (const auto value = find_value(argument, "--coordinator=")) result.coordinator = value;
    if (const auto value = find_value(argument, "--arena=")) result.arena = value;
    if (const auto value = find_value(argument, "--arena-bytes=")) result.arena_bytes = *value;
  }
  return result;
}

/// The coordinator decides when workers end: Ctrl-C in a terminal is for it alone, and no worker outlives it.
void tie_to_coordinator(std::int64_t coordinator) {
  setpgid(0, 0);
  for (const int ignored : {SIGINT, SIGQUIT, SIGHUP, SIGPIPE, SIGTTOU}) signal(ignored, SIG_IGN);
  signal(SIGTERM, SIG_DFL);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // It may have died before the line above.
  if (getppid() != coordinator) _exit(0);
}

/// A worker's task runs again elsewhere, so of all processes it is the one to end when memory runs out.
void offer_to_oom_killer() {
  const int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  [[maybe_unused]] const auto written = write(file, "500", 3);
  close(file);
}

int measure() {
  warm_up();
  fmt::print("{}\n", ProcessMemory().counts().resident.count());
  return 0;
}

void serve(const CommandLine& line, WorkerCode code) {
  tie_to_coordinator(*line.coordinator);
  offer_to_oom_killer();
  fcntl(static_cast<int>(*line.socket), F_SETFD, FD_CLOEXEC);
  std::optional<shm::ArenaView> view;
  if (line.arena) {
    view.emplace(static_cast<int>(*line.arena), Bytes(line.arena_bytes));
    close(static_cast<int>(*line.arena));
  }
  warm_up();
  Loop(static_cast<int>(*line.socket), view ? &*view : nullptr, std::move(code)).run();
}

}  // namespace

int run_process(int argument_count, char** arguments, WorkerCode code) {
  const auto line = read_command_line(argument_count, arguments);
  try {
    if (line.measure) return measure();
    if (!line.socket || !line.coordinator) {
      fmt::print(stderr, "brim-worker is started by brim; there is nothing to do with it by hand\n");
      return kUsageExit;
    }
    serve(line, std::move(code));
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "brim-worker {}: {}\n", getpid(), error.what());
    return kBrokenExit;
  }
}

}  // namespace brim::worker
