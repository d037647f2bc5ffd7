#include "whole_run/single_purpose.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>
#include <vector>

#include "kernels/hand_written.h"
#include "kernels/large_memory.h"
#include "whole_run/dew_point_files.h"

namespace brim::bench {
namespace {

constexpr std::size_t kProcesses = 2;

void dew_point(const float* t2, const float* rh, float* out, std::int64_t count) {
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw"))
    return avx512::dew_point(t2, rh, out, count);
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return avx2::dew_point(t2, rh, out, count);
  baseline::dew_point(t2, rh, out, count);
}

void require_all(ssize_t moved) {
  if (moved != static_cast<ssize_t>(kChunkElements * sizeof(float))) _exit(1);
}

/// Disk blocks for the whole file at once, which is cheaper than finding some at every write; brim does it too.
void reserve_blocks(const std::string& path) {
  const int file = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  struct stat status {};
  const bool reserved = file >= 0 && fstat(file, &status) == 0 && fallocate(file, 0, 0, status.st_size) == 0;
  close(file);
  if (!reserved) throw std::runtime_error("no room for the output, or a file system without fallocate");
}

struct Chunks {
  std::vector<std::int64_t> t2;
  std::vector<std::int64_t> rh;
  std::vector<std::int64_t> td;
};

[[noreturn]] void work(const std::string& input, const std::string& output, const Chunks& chunks, std::size_t first) {
  const int in = open(input.c_str(), O_RDONLY | O_CLOEXEC);
  const int out = open(output.c_str(), O_WRONLY | O_CLOEXEC);
  if (in < 0 || out < 0) _exit(1);
  const auto count = static_cast<std::size_t>(kChunkElements);
  LargeVector<float> t2(count);
  LargeVector<float> rh(count);
  LargeVector<float> td(count);
  const auto bytes = count * sizeof(float);
  for (std::size_t i = first; i < chunks.td.size(); i += kProcesses) {
    require_all(pread(in, t2.data(), bytes, chunks.t2[i]));
    require_all(pread(in, rh.data(), bytes, chunks.rh[i]));
    dew_point(t2.data(), rh.data(), td.data(), kChunkElements);
    require_all(pwrite(out, td.data(), bytes, chunks.td[i]));
  }
  _exit(0);
}

}  // namespace

void run_single_purpose(const std::string& input, const std::string& output, std::int64_t planes) {
  lay_out_output(output, planes);
  reserve_blocks(output);
  const Chunks chunks{chunk_offsets(input, "t2", planes), chunk_offsets(input, "rh", planes),
                      chunk_offsets(output, "td", planes)};
  std::vector<pid_t> children;
  for (std::size_t first = 0; first < kProcesses; ++first) {
    const auto child = fork();
    if (child == 0) work(input, output, chunks, first);
    children.push_back(child);
  }
  for (const auto child : children) {
    int status = 0;
    if (waitpid(child, &status, 0) != child || status != 0)
      throw std::runtime_error("a process of the specialist failed");
  }
}

}  // namespace brim::bench
