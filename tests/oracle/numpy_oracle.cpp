#include "oracle/numpy_oracle.h"

#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <stdexcept>

extern char** environ;

namespace brim::oracle {
namespace {

/// The helper process and the socket to it, which is both its standard input and output.
class Helper {
 public:
  Helper() {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) throw std::runtime_error("no socket pair");
    socket_ = ends[0];
    start(ends[1]);
    close(ends[1]);
  }
  Helper(const Helper&) = delete;
  Helper& operator=(const Helper&) = delete;
  ~Helper() {
    close(socket_);
    waitpid(process_, nullptr, 0);
  }

  void send(const void* data, std::size_t count) const {
    const auto* next = static_cast<const char*>(data);
    while (count > 0) {
      const ssize_t sent = ::send(socket_, next, count, MSG_NOSIGNAL);
      if (sent <= 0) throw std::runtime_error("the NumPy helper process is gone");
      next += sent;
      count -= static_cast<std::size_t>(sent);
    }
  }

  void receive(void* data, std::size_t count) const {
    auto* next = static_cast<char*>(data);
    while (count > 0) {
      const ssize_t received = ::recv(socket_, next, count, 0);
      if (received <= 0) throw std::runtime_error("the NumPy helper process is gone: is python3-numpy installed?");
      next += received;
      count -= static_cast<std::size_t>(received);
    }
  }

  std::string receive_line() const {
    std::string line;
    for (char c = 0; c != '\n'; line += c) receive(&c, 1);
    return line;
  }

 private:
  void start(int end) {
    const char* chosen = std::getenv("BRIM_NUMPY_PYTHON");
    std::string python = chosen ? chosen : "/usr/bin/python3";
    std::string script = BRIM_ORACLE_SCRIPT;
    char* arguments[] = {python.data(), script.data(), nullptr};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, end, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, end, STDOUT_FILENO);
    const int failure = posix_spawn(&process_, python.c_str(), &actions, nullptr, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failure != 0) throw std::runtime_error("cannot start " + python);
  }

  int socket_ = -1;
  pid_t process_ = -1;
};

}  // namespace

OracleArray evaluate(const std::string& expression, const std::map<std::string, OracleArray>& names) {
  static const Helper helper;
  nlohmann::json request = {{"expression", expression}, {"names", nlohmann::json::array()}};
  for (const auto& [name, array] : names)
    request["names"].push_back({name, std::string(to_string(array.dtype)), array.shape});
  const std::string line = request.dump() + "\n";
  helper.send(line.data(), line.size());
  for (const auto& [name, array] : names) helper.send(array.bytes.data(), array.bytes.size());

  const auto header = nlohmann::json::parse(helper.receive_line());
  if (header.contains("error")) throw std::runtime_error(expression + ": " + header["error"].get<std::string>());
  OracleArray result{*find_dtype(header["dtype"].get<std::string>()), header["shape"].get<Shape>(), {}};
  result.bytes.resize(static_cast<std::size_t>(element_count(result.shape) * item_size(result.dtype)));
  helper.receive(result.bytes.data(), result.bytes.size());
  return result;
}

}  // namespace brim::oracle
