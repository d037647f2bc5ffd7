#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

struct libdeflate_compressor;
struct libdeflate_decompressor;

namespace brim::storage {

/// What one Inflater or Deflater allocates, at most.
inline constexpr std::int64_t kInflaterBytes = 16 << 10;
inline constexpr std::int64_t kDeflaterBytes = 768 << 10;

/// Decompresses zlib streams; keeps its state between streams.
class Inflater {
 public:
  Inflater();
  /// Decompresses the whole of `from` into `to` and returns how many bytes came out. Throws StorageError for damaged
  /// data and for more data than `to` holds.
  std::size_t inflate(std::span<const std::byte> from, std::span<std::byte> to);

 private:
  std::unique_ptr<libdeflate_decompressor, void (*)(libdeflate_decompressor*)> state_;
};

/// Compresses to zlib streams; keeps its state between streams.
class Deflater {
 public:
  explicit Deflater(int level);
  /// Compresses `from` into `to`, which has room for deflate_bound() bytes; returns how many bytes came out.
  std::size_t deflate(std::span<const std::byte> from, std::span<std::byte> to);

 private:
  std::unique_ptr<libdeflate_compressor, void (*)(libdeflate_compressor*)> state_;
};

/// The most that compressing that many bytes gives.
std::int64_t deflate_bound(std::int64_t bytes);

}  // namespace brim::storage
