#pragma once

#include <atomic>
#include <thread>

#include "brim/bytes.h"

namespace brim::tool {

/// What this process and its children hold now: private and file pages by the kernel's proportional share, and what
/// the memory files of this process have allocated.
Bytes tree_memory();

/// Samples tree_memory() every 10 ms from a thread of its own while it lives.
class TreeMemorySampler {
 public:
  TreeMemorySampler();
  ~TreeMemorySampler();
  TreeMemorySampler(const TreeMemorySampler&) = delete;
  TreeMemorySampler& operator=(const TreeMemorySampler&) = delete;

  /// The highest sample so far.
  Bytes peak() const { return Bytes(peak_.load()); }

 private:
  std::atomic<std::int64_t> peak_{0};
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace brim::tool
