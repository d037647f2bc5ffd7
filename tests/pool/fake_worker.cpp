#include "pool/fake_worker.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "pool/frames.h"

namespace brim::pool {
namespace {

std::string find_argument(int count, char** arguments, const std::string& name) {
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    if (argument.starts_with(name)) return argument.substr(name.size());
  }
  return "";
}

void send_all(int socket, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const auto count = send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count <= 0) _exit(9);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

void answer(int socket, const ToCoordinator& message) {
  OutgoingFrames out;
  out.add(message);
  send_all(socket, out.pending());
}

Failed report(std::int64_t sequence) {
  Failed failed;
  failed.sequence = sequence;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code error;
    const auto target = std::filesystem::read_symlink(entry.path(), error);
    if (!error) failed.error.context.push_back(entry.path().filename().string() + " " + target.string());
  }
  for (char** variable = environ; *variable != nullptr; ++variable) failed.error.context.push_back(*variable);
  return failed;
}

[[noreturn]] void sleep_for_ever() {
  for (;;) pause();
}

/// What the modes answer to a message; false to leave.
bool respond(int socket, const std::string& mode, const ToWorker& message) {
  if (mode == "garbage") {
    const std::string text = "\xff\xff\xff\xff this is no frame";
    send_all(socket, std::as_bytes(std::span(text)));
  }
  if (mode == "cut") {
    OutgoingFrames out;
    out.add(ToCoordinator(Done{}));
    send_all(socket, out.pending().first(20));
    return false;
  }
  if (const auto* run = std::get_if<Run>(&message)) {
    if (mode == "report") answer(socket, report(run->sequence));
    if (mode == "echo") answer(socket, Done{run->sequence, {}});
  }
  if (const auto* define = std::get_if<Define>(&message))
    answer(socket, Trimmed{Bytes(static_cast<std::int64_t>(define->archive.size()))});
  return !std::holds_alternative<Stop>(message);
}

}  // namespace

int run_fake_worker(int argument_count, char** arguments) {
  const auto mode = find_argument(argument_count, arguments, "--fake=");
  const int socket = std::stoi(find_argument(argument_count, arguments, "--socket="));
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (mode == "status") return 3;
  if (mode == "closed") {
    close(socket);
    sleep_for_ever();
  }
  answer(socket, Ready{getpid(), Bytes(1)});
  if (mode == "deaf") sleep_for_ever();
  IncomingFrames incoming;
  for (;;) {
    const auto space = incoming.space();
    const auto count = recv(socket, space.data(), space.size(), 0);
    if (count <= 0) return 0;
    incoming.filled(static_cast<std::size_t>(count));
    while (const auto frame = incoming.next()) {
      ArchiveReader archive(*frame);
      if (!respond(socket, mode, get_to_worker(archive))) return 0;
    }
  }
}

}  // namespace brim::pool
