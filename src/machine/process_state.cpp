#include "machine/process_state.h"

#include <fmt/format.h>

#include <fstream>
#include <string>

namespace brim::machine {

bool is_stopped(std::int64_t pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string line;
  std::getline(file, line);
  // "PID (NAME) STATE ..."; the name may hold anything.
  const auto end = line.rfind(')');
  return end != std::string::npos && end + 2 < line.size() && line[end + 2] == 'T';
}

Bytes private_memory(std::int64_t pid) {
  constexpr std::int64_t kPage = 4096;
  std::ifstream file(fmt::format("/proc/{}/statm", pid));
  std::int64_t size = 0;
  std::int64_t resident = 0;
  std::int64_t shared = 0;
  if (!(file >> size >> resident >> shared)) return Bytes(0);
  return Bytes((resident - shared) * kPage);
}

}  // namespace brim::machine
