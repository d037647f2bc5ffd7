#include "storage/row_writer.h"

#include <algorithm>
#include <cstring>

namespace brim::storage {

RowWriter::RowWriter(const File& file, std::int64_t item_size, Scratch& scratch)
    : file_(file), item_size_(item_size), buffer_(scratch.take(kBufferBytes)) {}

std::int64_t RowWriter::write(std::int64_t offset, const BoxRows& rows, const std::byte* values) {
  bytes_written_ = 0;
  rows.for_each_group([&](const RowGroup& group) {
    write_group(offset + group.to * item_size_, group, values + group.from * item_size_);
  });
  return bytes_written_;
}

void RowWriter::write_group(std::int64_t offset, const RowGroup& group, const std::byte* values) {
  constexpr std::int64_t kLongRow = 32 << 10;
  const auto row_bytes = group.length * item_size_;
  const bool side_by_side = group.to_stride == group.length && row_bytes < kLongRow;
  const auto rows_at_once = side_by_side ? kBufferBytes / row_bytes : 1;
  const auto size = static_cast<std::size_t>(row_bytes);
  bytes_written_ += group.rows * row_bytes;
  for (std::int64_t row = 0; row < group.rows; row += rows_at_once) {
    const auto* from = values + row * group.from_stride * item_size_;
    const auto to = offset + row * group.to_stride * item_size_;
    const auto rows = std::min(rows_at_once, group.rows - row);
    if (rows == 1) {
      file_.write(to, {from, size});
      continue;
    }
    for (std::int64_t i = 0; i < rows; ++i)
      std::memcpy(buffer_.data() + i * row_bytes, from + i * group.from_stride * item_size_, size);
    file_.write(to, buffer_.first(static_cast<std::size_t>(rows) * size));
  }
}

}  // namespace brim::storage
