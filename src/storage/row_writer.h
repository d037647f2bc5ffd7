#pragma once

#include <cstdint>
#include <span>

#include "core/scratch.h"
#include "storage/box_rows.h"
#include "storage/file.h"

namespace brim::storage {

/// Writes rows of values in memory to one uncompressed stretch of a file: long ones from where they are, short ones
/// that lie side by side in the file through a buffer.
class RowWriter {
 public:
  static constexpr std::int64_t kBufferBytes = 256 << 10;
  static constexpr std::int64_t kScratchBytes = Scratch::cost(kBufferBytes);

  RowWriter(const File& file, std::int64_t item_size, Scratch& scratch);
  /// `rows` go from the values to the stretch, which begins at `offset` of the file. Returns the bytes written.
  std::int64_t write(std::int64_t offset, const BoxRows& rows, const std::byte* values);

 private:
  void write_group(std::int64_t offset, const RowGroup& group, const std::byte* values);

  const File& file_;
  std::int64_t item_size_;
  std::span<std::byte> buffer_;
  std::int64_t bytes_written_ = 0;
};

}  // namespace brim::storage
