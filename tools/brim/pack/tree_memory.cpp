#include "tree_memory.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace brim::tool {
namespace {

namespace fs = std::filesystem;

/// Pss_Anon and Pss_File of one process, in bytes; 0 when it is gone.
std::int64_t proportional_share(const std::string& process) {
  std::ifstream file("/proc/" + process + "/smaps_rollup");
  std::int64_t sum = 0;
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("Pss_Anon:") || line.starts_with("Pss_File:"))
      sum += std::stoll(line.substr(line.find(':') + 1)) * 1024;
  return sum;
}

std::vector<std::string> children() {
  std::vector<std::string> found;
  std::error_code error;
  for (const auto& thread : fs::directory_iterator("/proc/self/task", error)) {
    std::ifstream file(thread.path() / "children");
    for (std::string child; file >> child;) found.push_back(child);
  }
  return found;
}

std::int64_t memory_files() {
  std::int64_t sum = 0;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/proc/self/fd", error)) {
    const auto target = fs::read_symlink(entry.path(), error).string();
    struct stat status {};
    if (target.starts_with("/memfd:") && stat(entry.path().c_str(), &status) == 0) sum += status.st_blocks * 512;
  }
  return sum;
}

}  // namespace

Bytes tree_memory() {
  auto sum = memory_files() + proportional_share("self");
  for (const auto& child : children()) sum += proportional_share(child);
  return Bytes(sum);
}

TreeMemorySampler::TreeMemorySampler()
    : thread_([this] {
        while (!stop_) {
          peak_ = std::max(peak_.load(), tree_memory().count());
          std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
      }) {}

TreeMemorySampler::~TreeMemorySampler() {
  stop_ = true;
  thread_.join();
}

}  // namespace brim::tool
