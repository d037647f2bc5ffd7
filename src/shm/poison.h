#pragma once

#include <cstddef>
#include <span>

#if defined(__SANITIZE_ADDRESS__)
#define BRIM_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define BRIM_ADDRESS_SANITIZER 1
#endif
#endif
#ifdef BRIM_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#endif

/// Memory that must not be used for now, told to AddressSanitizer; nothing in other builds.
namespace brim::shm {

#ifdef BRIM_ADDRESS_SANITIZER
inline constexpr bool kAddressSanitizer = true;
inline void poison(std::span<std::byte> memory) { __asan_poison_memory_region(memory.data(), memory.size()); }
inline void unpoison(std::span<std::byte> memory) { __asan_unpoison_memory_region(memory.data(), memory.size()); }
#else
inline constexpr bool kAddressSanitizer = false;
inline void poison(std::span<std::byte>) {}
inline void unpoison(std::span<std::byte>) {}
#endif

}  // namespace brim::shm
