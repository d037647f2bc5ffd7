#include "storage/row_reader.h"

#include <algorithm>
#include <cstring>

namespace brim::storage {
namespace {

/// Reading what lies between two rows is cheaper than another system call up to about this many bytes.
constexpr std::int64_t kWorthSkipping = 8 << 10;
/// Rows of at least that many bytes are read where they belong; the copy that this saves outweighs the call.
constexpr std::int64_t kLongRow = 32 << 10;

}  // namespace

ElementConversion::ElementConversion(StoredType type, const Decoding& how)
    : convert(find_convert(type, how)),
      decoding(how),
      stored_size(type.size),
      value_size(item_size(decoded_dtype(type, how))) {}

void ElementConversion::operator()(const std::byte* stored, std::byte* values, std::int64_t count) const {
  if (convert == nullptr)
    std::memcpy(values, stored, static_cast<std::size_t>(count * value_size));
  else
    convert(stored, values, count, decoding);
}

void convert_rows(const std::byte* stored, const BoxRows& rows, const ElementConversion& conversion,
                  std::byte* destination) {
  rows.for_each_group([&](const RowGroup& group) {
    const auto* from = stored + group.from * conversion.stored_size;
    auto* to = destination + group.to * conversion.value_size;
    for (std::int64_t row = 0; row < group.rows; ++row) {
      conversion(from, to, group.length);
      from += group.from_stride * conversion.stored_size;
      to += group.to_stride * conversion.value_size;
    }
  });
}

RowReader::RowReader(const File& file, const ElementConversion& conversion, Scratch& scratch)
    : file_(file), conversion_(conversion), buffer_(scratch.take(kBufferBytes)) {}

std::int64_t RowReader::read(std::int64_t offset, const BoxRows& rows, std::byte* destination) {
  bytes_read_ = 0;
  rows.for_each_group([&](const RowGroup& group) {
    read_group(offset + group.from * conversion_.stored_size, group, destination + group.to * conversion_.value_size);
  });
  return bytes_read_;
}

void RowReader::read_group(std::int64_t offset, const RowGroup& group, std::byte* destination) {
  const auto row_bytes = group.length * conversion_.stored_size;
  const auto stride_bytes = group.from_stride * conversion_.stored_size;
  const bool straight = conversion_.convert == nullptr && row_bytes >= kLongRow;
  const bool together = !straight && stride_bytes - row_bytes <= kWorthSkipping && row_bytes <= kBufferBytes;
  const auto rows_at_once =
      together ? std::max<std::int64_t>(1, (kBufferBytes - row_bytes) / std::max<std::int64_t>(1, stride_bytes) + 1)
               : 1;
  for (std::int64_t row = 0; row < group.rows; row += rows_at_once) {
    RowGroup part = group;
    part.rows = std::min(rows_at_once, group.rows - row);
    auto* to = destination + row * group.to_stride * conversion_.value_size;
    if (part.rows == 1)
      read_row(offset + row * stride_bytes, group.length, to);
    else
      read_together(offset + row * stride_bytes, part, to);
  }
}

void RowReader::read_row(std::int64_t offset, std::int64_t length, std::byte* destination) {
  const auto bytes = length * conversion_.stored_size;
  bytes_read_ += bytes;
  if (conversion_.convert == nullptr) {
    file_.read(offset, {destination, static_cast<std::size_t>(bytes)});
    return;
  }
  const auto most = kBufferBytes / conversion_.stored_size;
  for (std::int64_t done = 0; done < length; done += most) {
    const auto count = std::min(most, length - done);
    const auto piece = buffer_.first(static_cast<std::size_t>(count * conversion_.stored_size));
    file_.read(offset + done * conversion_.stored_size, piece);
    conversion_(piece.data(), destination + done * conversion_.value_size, count);
  }
}

void RowReader::read_together(std::int64_t offset, const RowGroup& group, std::byte* destination) {
  const auto stride_bytes = group.from_stride * conversion_.stored_size;
  const auto bytes = (group.rows - 1) * stride_bytes + group.length * conversion_.stored_size;
  file_.read(offset, buffer_.first(static_cast<std::size_t>(bytes)));
  bytes_read_ += bytes;
  for (std::int64_t row = 0; row < group.rows; ++row)
    conversion_(buffer_.data() + row * stride_bytes, destination + row * group.to_stride * conversion_.value_size,
                group.length);
}

}  // namespace brim::storage
