#include "worker/scratch_memory.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "brim/error.h"

namespace brim::worker {
namespace {

constexpr std::int64_t kPage = 4096;
/// Below, one huge page could hold more than the task's whole grant.
constexpr std::int64_t kHugeFrom = std::int64_t{8} << 20;

std::int64_t whole_pages(std::int64_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

std::size_t length(std::int64_t bytes) { return static_cast<std::size_t>(bytes); }

}  // namespace

ScratchMemory::~ScratchMemory() { trim(Bytes(0)); }

std::span<std::byte> ScratchMemory::region(Bytes size) {
  const auto wanted = whole_pages(size.count());
  if (wanted > length_) {
    // Moving keeps the pages that are there.
    void* memory = memory_ == nullptr
                       ? mmap(nullptr, length(wanted), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                       : mremap(memory_, length(length_), length(wanted), MREMAP_MAYMOVE);
    if (memory == MAP_FAILED)
      throw MemoryError(
          fmt::format("the system refuses {} of scratch memory: {}", to_string(size), std::strerror(errno)));
    memory_ = static_cast<std::byte*>(memory);
    length_ = wanted;
    if (length_ >= kHugeFrom) madvise(memory_, length(length_), MADV_HUGEPAGE);
  }
  return {memory_, length(size.count())};
}

void ScratchMemory::trim(Bytes keep) {
  const auto kept = whole_pages(std::max<std::int64_t>(0, keep.count()));
  if (kept >= length_) return;
  munmap(memory_ + kept, length(length_ - kept));
  length_ = kept;
  if (length_ == 0) memory_ = nullptr;
}

Bytes ScratchMemory::resident(Bytes start) const {
  std::array<unsigned char, 4096> pages{};
  constexpr auto kStep = static_cast<std::int64_t>(pages.size()) * kPage;
  std::int64_t count = 0;
  for (auto offset = whole_pages(start.count()); offset < length_; offset += kStep) {
    const auto step = std::min(kStep, length_ - offset);
    if (mincore(memory_ + offset, length(step), pages.data()) != 0) break;
    count += std::count_if(pages.begin(), pages.begin() + step / kPage, [](unsigned char page) { return page & 1; });
  }
  return Bytes(count * kPage);
}

}  // namespace brim::worker
