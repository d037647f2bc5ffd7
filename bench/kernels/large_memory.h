#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>
#include <vector>

namespace brim::bench {

/// Memory in huge pages where the system gives them on advice, as NumPy asks for its arrays and brim for its chunks.
template <typename T>
struct HugePageAllocator {
  using value_type = T;
  HugePageAllocator() = default;
  template <typename U>
  HugePageAllocator(const HugePageAllocator<U>&) {}  // NOLINT(google-explicit-constructor): what allocators do

  T* allocate(std::size_t count) {
    void* memory = mmap(nullptr, count * sizeof(T), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    madvise(memory, count * sizeof(T), MADV_HUGEPAGE);
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) { munmap(memory, count * sizeof(T)); }
  friend bool operator==(HugePageAllocator, HugePageAllocator) { return true; }
};

template <typename T>
using LargeVector = std::vector<T, HugePageAllocator<T>>;

}  // namespace brim::bench
