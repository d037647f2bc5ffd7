#include "storage/codec/deflate.h"

#include <fmt/format.h>
#include <libdeflate.h>

#include <new>

#include "brim/error.h"
#include "core/check.h"

namespace brim::storage {

Inflater::Inflater() : state_(libdeflate_alloc_decompressor(), libdeflate_free_decompressor) {
  if (!state_) throw std::bad_alloc();
}

std::size_t Inflater::inflate(std::span<const std::byte> from, std::span<std::byte> to) {
  std::size_t size = 0;
  const auto result = libdeflate_zlib_decompress(state_.get(), from.data(), from.size(), to.data(), to.size(), &size);
  if (result == LIBDEFLATE_SUCCESS) return size;
  throw StorageError(fmt::format("damaged compressed data: {}", result == LIBDEFLATE_INSUFFICIENT_SPACE
                                                                    ? "more than the chunk holds"
                                                                    : "no sound zlib stream"));
}

Deflater::Deflater(int level) : state_(libdeflate_alloc_compressor(level), libdeflate_free_compressor) {
  if (!state_) throw std::bad_alloc();
}

std::size_t Deflater::deflate(std::span<const std::byte> from, std::span<std::byte> to) {
  const auto size = libdeflate_zlib_compress(state_.get(), from.data(), from.size(), to.data(), to.size());
  check(size > 0, "a compressed chunk is larger than its bound");
  return size;
}

std::int64_t deflate_bound(std::int64_t bytes) {
  return static_cast<std::int64_t>(libdeflate_zlib_compress_bound(nullptr, static_cast<std::size_t>(bytes)));
}

}  // namespace brim::storage
