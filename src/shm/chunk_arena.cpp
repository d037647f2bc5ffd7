#include "shm/chunk_arena.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <list>
#include <unordered_map>

#include "brim/error.h"
#include "core/check.h"
#include "shm/address_ranges.h"

namespace brim::shm {
namespace {

/// First fit needs less than this many times the memory for any sizes that a run has (Robson's bound grows with the
/// logarithm of largest / smallest, but only for adversaries).
constexpr std::int64_t kAddressSpaceFactor = 8;
constexpr std::int64_t kPage = 4096;
constexpr std::int64_t kLargestAddressSpace = std::int64_t{1} << 45;

/// How many addresses an arena for `limit` bytes of blocks gets. Workers map all of them, so a limit on address space
/// keeps half for everything else of theirs.
std::int64_t address_space(std::int64_t limit) {
  auto most = kLargestAddressSpace;
  rlimit system{};
  if (getrlimit(RLIMIT_AS, &system) == 0 && system.rlim_cur / 2 < static_cast<rlim_t>(most))
    most = static_cast<std::int64_t>(system.rlim_cur / 2) / kPage * kPage;
  return std::max({limit, kPage, std::min(limit * kAddressSpaceFactor, most)});
}

[[noreturn]] void refuse(const std::string& what, int error) {
  throw MemoryError(fmt::format("{}: {}", what, std::strerror(error)),
                    "give brim less memory (--memory), or end other programs that hold memory");
}

/// Past the file size limit ftruncate and fallocate raise a signal that kills.
void require_file_size_limit(std::int64_t length) {
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  if (static_cast<std::uint64_t>(length) <= limit.rlim_cur) return;
  throw MemoryError(
      fmt::format("the shared chunk memory needs {} of address space, the file size limit of this process allows {}",
                  to_string(Bytes(length)), to_string(Bytes(static_cast<std::int64_t>(limit.rlim_cur)))),
      "lift the limit: ulimit -f unlimited");
}

int make_memory_file(std::int64_t length) {
  require_file_size_limit(length);
  const int descriptor = memfd_create("brim chunks", MFD_CLOEXEC);
  if (descriptor < 0) refuse("the system gives no shared chunk memory", errno);
  if (ftruncate(descriptor, length) != 0) {
    const int error = errno;
    close(descriptor);
    refuse(fmt::format("the system gives no address space of {} for shared chunk memory", to_string(Bytes(length))),
           error);
  }
  return descriptor;
}

/// fallocate() that goes on after signals; 0 or the error.
int allocate_range(int descriptor, int mode, std::int64_t start, std::int64_t length) {
  while (fallocate(descriptor, mode, start, length) != 0)
    if (errno != EINTR) return errno;
  return 0;
}

}  // namespace

class ChunkArena::Impl {
 public:
  explicit Impl(Bytes limit)
      : limit_(charged(limit).count()),
        length_(address_space(limit_)),
        descriptor_(make_memory_file(length_)),
        ranges_(length_) {}
  ~Impl() { close(descriptor_); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  Block allocate(Bytes size);
  void free(Block block);
  Bytes release_cached(std::int64_t wanted);

  int descriptor() const { return descriptor_; }
  Bytes length() const { return Bytes(length_); }
  Bytes granted() const { return Bytes(granted_bytes_); }
  Bytes cached() const { return Bytes(cached_bytes_); }
  std::int64_t reuse_count() const { return reuse_count_; }
  std::int64_t grant_count() const { return grant_count_; }

 private:
  struct Range {
    std::int64_t start;
    std::int64_t length;
    std::int64_t generation;
  };
  using CacheEntry = std::list<Range>::iterator;

  std::optional<Range> try_reuse(std::int64_t length);
  std::int64_t take_fresh(std::int64_t length);
  std::int64_t take_address(std::int64_t length);
  void release_oldest();

  std::int64_t limit_;
  std::int64_t length_;
  int descriptor_;
  AddressRanges ranges_;
  std::unordered_map<std::int64_t, Range> granted_;                         ///< by start
  std::list<Range> cache_;                                                  ///< oldest first
  std::unordered_map<std::int64_t, std::deque<CacheEntry>> cache_by_size_;  ///< oldest first
  std::int64_t granted_bytes_ = 0;
  std::int64_t cached_bytes_ = 0;
  std::int64_t reuse_count_ = 0;
  std::int64_t grant_count_ = 0;
  std::int64_t generation_ = 0;
};

Block ChunkArena::Impl::allocate(Bytes size) {
  check(size >= Bytes(0), "a block of negative size");
  if (size == Bytes(0)) return {};
  const auto length = charged(size).count();
  const auto reused = try_reuse(length);
  const auto range = reused ? *reused : Range{take_fresh(length), length, ++generation_};
  granted_.emplace(range.start, range);
  granted_bytes_ += length;
  ++grant_count_;
  return {range.start, size, range.generation};
}

std::optional<ChunkArena::Impl::Range> ChunkArena::Impl::try_reuse(std::int64_t length) {
  const auto found = cache_by_size_.find(length);
  if (found == cache_by_size_.end()) return std::nullopt;
  const CacheEntry entry = found->second.back();
  found->second.pop_back();
  if (found->second.empty()) cache_by_size_.erase(found);
  const auto range = *entry;
  cache_.erase(entry);
  cached_bytes_ -= length;
  ++reuse_count_;
  return range;
}

std::int64_t ChunkArena::Impl::take_fresh(std::int64_t length) {
  if (granted_bytes_ + length > limit_) {
    throw MemoryError(fmt::format("a chunk needs {} of shared memory, {} of {} are taken", to_string(Bytes(length)),
                                  to_string(Bytes(granted_bytes_)), to_string(Bytes(limit_))),
                      "raise --memory");
  }
  const auto held = granted_bytes_ + cached_bytes_ + length;
  if (held > limit_) release_cached(held - limit_);
  const auto start = take_address(length);
  int error = allocate_range(descriptor_, 0, start, length);
  // The system is full, but not with chunks in use: what is only kept for later goes first.
  while (error != 0 && !cache_.empty()) {
    release_cached(length);
    error = allocate_range(descriptor_, 0, start, length);
  }
  if (error != 0) {
    allocate_range(descriptor_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, start, length);
    ranges_.give_back(start, length);
    refuse(fmt::format("the system has no {} for a chunk in shared memory", to_string(Bytes(length))), error);
  }
  return start;
}

std::int64_t ChunkArena::Impl::take_address(std::int64_t length) {
  auto start = ranges_.try_take(length);
  while (!start && !cache_.empty()) {
    release_oldest();
    start = ranges_.try_take(length);
  }
  if (!start) throw MemoryError(fmt::format("no place for a chunk of {} in the arena", to_string(Bytes(length))));
  return *start;
}

void ChunkArena::Impl::free(Block block) {
  if (block.size == Bytes(0)) return;
  const auto found = granted_.find(block.offset);
  check(found != granted_.end() && found->second.length == charged(block.size).count(),
        "a block was freed that is not granted");
  const auto range = found->second;
  granted_.erase(found);
  granted_bytes_ -= range.length;
  cached_bytes_ += range.length;
  cache_by_size_[range.length].push_back(cache_.insert(cache_.end(), range));
}

Bytes ChunkArena::Impl::release_cached(std::int64_t wanted) {
  const auto before = cached_bytes_;
  while (before - cached_bytes_ < wanted && !cache_.empty()) release_oldest();
  return Bytes(before - cached_bytes_);
}

void ChunkArena::Impl::release_oldest() {
  const auto [start, length, generation] = cache_.front();
  const int error = allocate_range(descriptor_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, start, length);
  check(error == 0, "the system does not take shared memory back");
  const auto same_size = cache_by_size_.find(length);
  same_size->second.pop_front();
  if (same_size->second.empty()) cache_by_size_.erase(same_size);
  cache_.pop_front();
  cached_bytes_ -= length;
  ranges_.give_back(start, length);
}

ChunkArena::ChunkArena(Bytes limit) : impl_(std::make_unique<Impl>(limit)) {}
ChunkArena::~ChunkArena() = default;
ChunkArena::ChunkArena(ChunkArena&&) noexcept = default;
ChunkArena& ChunkArena::operator=(ChunkArena&&) noexcept = default;

int ChunkArena::descriptor() const { return impl_->descriptor(); }
Bytes ChunkArena::capacity() const { return impl_->length(); }
Block ChunkArena::allocate(Bytes size) { return impl_->allocate(size); }
void ChunkArena::free(Block block) { impl_->free(block); }
Bytes ChunkArena::release_cached(Bytes wanted) { return impl_->release_cached(wanted.count()); }
Bytes ChunkArena::granted() const { return impl_->granted(); }
Bytes ChunkArena::cached() const { return impl_->cached(); }
std::int64_t ChunkArena::reuse_count() const { return impl_->reuse_count(); }
std::int64_t ChunkArena::grant_count() const { return impl_->grant_count(); }

}  // namespace brim::shm
