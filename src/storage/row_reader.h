#pragma once

#include <cstdint>
#include <span>

#include "core/scratch.h"
#include "storage/box_rows.h"
#include "storage/decoding.h"
#include "storage/file.h"

namespace brim::storage {

/// Turns stored elements into values.
struct ElementConversion {
  Convert convert = nullptr;  ///< nothing: they are values already
  const Decoding& decoding;
  std::int64_t stored_size = 0;  ///< bytes of one element
  std::int64_t value_size = 0;

  ElementConversion(StoredType type, const Decoding& decoding);
  void operator()(const std::byte* stored, std::byte* values, std::int64_t count) const;
};

/// Moves rows of stored elements that are in memory to their place in the destination.
void convert_rows(const std::byte* stored, const BoxRows& rows, const ElementConversion& conversion,
                  std::byte* destination);

/// Reads rows of one uncompressed stretch of a file into the destination: long rows straight to their place, short ones
/// and those to be converted through a buffer, several at once where little lies between them.
class RowReader {
 public:
  /// What the constructor takes from the scratch.
  static constexpr std::int64_t kBufferBytes = 256 << 10;
  static constexpr std::int64_t kScratchBytes = Scratch::cost(kBufferBytes);

  RowReader(const File& file, const ElementConversion& conversion, Scratch& scratch);
  /// `offset` is that of the stretch in the file. Returns the bytes read.
  std::int64_t read(std::int64_t offset, const BoxRows& rows, std::byte* destination);

 private:
  void read_group(std::int64_t offset, const RowGroup& group, std::byte* destination);
  void read_row(std::int64_t offset, std::int64_t length, std::byte* destination);
  void read_together(std::int64_t offset, const RowGroup& group, std::byte* destination);

  const File& file_;
  const ElementConversion& conversion_;
  std::span<std::byte> buffer_;
  std::int64_t bytes_read_ = 0;
};

}  // namespace brim::storage
