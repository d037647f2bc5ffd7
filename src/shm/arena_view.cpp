#include <fmt/format.h>
#include <sys/mman.h>

#include <boost/interprocess/exceptions.hpp>
#include <boost/interprocess/mapped_region.hpp>

#include "brim/error.h"
#include "core/check.h"
#include "shm/chunk_arena.h"
#include "shm/poison.h"

namespace brim::shm {
namespace {

namespace interprocess = boost::interprocess;

/// What Boost.Interprocess needs to map an open descriptor.
struct OpenDescriptor {
  int descriptor;
  interprocess::mapping_handle_t get_mapping_handle() const { return {descriptor, false}; }
};

interprocess::mapped_region map(int descriptor, Bytes capacity) {
  try {
    return {OpenDescriptor{descriptor}, interprocess::read_write, 0, static_cast<std::size_t>(capacity.count())};
  } catch (const interprocess::interprocess_exception& error) {
    throw MemoryError(
        fmt::format("the shared chunk memory of {} cannot be mapped: {}", to_string(capacity), error.what()),
        "a limit on address space may be too small: ulimit -v unlimited");
  }
}

}  // namespace

class ArenaView::Impl {
 public:
  Impl(int descriptor, Bytes capacity) : region_(map(descriptor, capacity)) {
    // Only advice: systems without huge pages for shared memory say no.
    madvise(region_.get_address(), region_.get_size(), MADV_HUGEPAGE);
  }
  ~Impl() { unpoison(all()); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  std::span<std::byte> piece(std::int64_t offset, std::int64_t size) const {
    const auto length = static_cast<std::int64_t>(region_.get_size());
    check(offset >= 0 && size >= 0 && size <= length && offset <= length - size, "a block lies outside the arena");
    return all().subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(size));
  }

 private:
  std::span<std::byte> all() const { return {static_cast<std::byte*>(region_.get_address()), region_.get_size()}; }

  interprocess::mapped_region region_;
};

ArenaView::ArenaView(int descriptor, Bytes capacity) : impl_(std::make_unique<Impl>(descriptor, capacity)) {}
ArenaView::~ArenaView() = default;
ArenaView::ArenaView(ArenaView&&) noexcept = default;
ArenaView& ArenaView::operator=(ArenaView&&) noexcept = default;

std::span<std::byte> ArenaView::span(Block block) const {
  if (block.size == Bytes(0)) return {};
  const auto memory = impl_->piece(block.offset, block.size.count());
  unpoison(memory);
  return memory;
}

void ArenaView::revoke(Block block) const {
  if (block.size != Bytes(0)) poison(impl_->piece(block.offset, charged(block.size).count()));
}

void ArenaView::populate(Block block, bool for_writing) const {
  if (block.size == Bytes(0)) return;
  const auto memory = impl_->piece(block.offset, charged(block.size).count());
  madvise(memory.data(), memory.size(), for_writing ? MADV_POPULATE_WRITE : MADV_POPULATE_READ);
}

}  // namespace brim::shm
