#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "brim/bytes.h"
#include "brim/error.h"

namespace brim {

/// A task asked for more scratch than its grant: its memory model is too small.
class MemoryExceeded : public MemoryError {
 public:
  MemoryExceeded(Bytes wanted, Bytes granted);
};

/// Hands out pieces of one granted region of memory, last in first out. Does not own the region. What a task
/// allocates goes through here, so that its peak is known exactly and a wrong projection is an error instead of an
/// out-of-memory kill. Not thread safe.
class Scratch {
 public:
  static constexpr std::int64_t kAlignment = 64;

  explicit Scratch(std::span<std::byte> region) : region_(region) {}

  /// `count` bytes, aligned to kAlignment, contents undefined, valid until reset() or the end of the enclosing Frame.
  /// Throws MemoryExceeded.
  std::span<std::byte> take(std::int64_t count);
  template <typename T>
  std::span<T> take_array(std::int64_t count) {
    auto bytes = take(count * static_cast<std::int64_t>(sizeof(T)));
    return {reinterpret_cast<T*>(bytes.data()), static_cast<std::size_t>(count)};
  }
  /// The bytes that take(count) costs: count rounded up to the alignment. What memory models add up.
  static constexpr std::int64_t cost(std::int64_t count) { return (count + kAlignment - 1) / kAlignment * kAlignment; }

  /// Gives back at its end everything taken since its start.
  class Frame {
   public:
    explicit Frame(Scratch& scratch) : scratch_(scratch), used_(scratch.used_) {}
    ~Frame() { scratch_.used_ = used_; }
    Frame(const Frame&) = delete;
    Frame& operator=(const Frame&) = delete;

   private:
    Scratch& scratch_;
    std::int64_t used_;
  };

  /// The most that was taken at once.
  Bytes peak() const { return Bytes(peak_); }
  Bytes capacity() const { return Bytes(static_cast<std::int64_t>(region_.size())); }

 private:
  std::span<std::byte> region_;
  std::int64_t used_ = 0;
  std::int64_t peak_ = 0;
};

}  // namespace brim
