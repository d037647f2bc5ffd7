#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "brim/bytes.h"
#include "storage/file.h"

namespace brim::storage {

/// The scratch file of one run: intermediate chunks that memory has no room for. Without a name, so nothing is left
/// whatever happens. The coordinator makes it and touches no data in it.
class ScratchFile {
 public:
  /// In `folder`, or in that of `output` when it is empty, with room for `size` bytes. Throws StorageError.
  ScratchFile(const std::string& folder, const std::string& output, Bytes size);
  /// How workers open it.
  std::string path() const;

 private:
  File file_;
};

/// A worker's side: whole blocks at given places. A block is checked when it is read: with its size, and a checksum of
/// its bytes.
class ScratchBlocks {
 public:
  /// What a block takes in the file beside its own bytes.
  static constexpr std::int64_t kHeaderBytes = 64;
  /// The distance of blocks of at most that many bytes.
  static std::int64_t distance(std::int64_t bytes);

  explicit ScratchBlocks(const std::string& path);
  /// Writing a block again is allowed. Throws StorageError: disk full.
  void write(std::int64_t place, std::span<const std::byte> block) const;
  /// Throws StorageError when the block is not what was written.
  void read(std::int64_t place, std::span<std::byte> block) const;

 private:
  File file_;
};

}  // namespace brim::storage
