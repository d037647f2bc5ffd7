#include "core/archive.h"

#include "core/check.h"

namespace brim {

void ArchiveWriter::put(const std::string& value) {
  put(static_cast<std::uint64_t>(value.size()));
  const auto* first = reinterpret_cast<const std::byte*>(value.data());
  bytes_.insert(bytes_.end(), first, first + value.size());
}

void ArchiveWriter::put(const Shape& value) {
  put(static_cast<std::uint64_t>(value.size()));
  for (const auto extent : value) put(extent);
}

void ArchiveWriter::put(const Box& value) {
  put(value.start);
  put(value.stop);
}

void ArchiveWriter::put(const ChunkGrid& value) {
  put(value.shape());
  put(value.chunk_shape());
}

void ArchiveWriter::put(const ErrorRecord& value) {
  put(value.kind);
  put(value.what);
  put(value.hint);
  put_all(value.context, [](ArchiveWriter& archive, const std::string& line) { archive.put(line); });
}

void ArchiveWriter::put(const Scalar& value) {
  put(value.dtype);
  put(static_cast<std::uint8_t>(value.value.index()));
  std::visit([&](auto held) { put(held); }, value.value);
}

void ArchiveWriter::put(const std::vector<std::byte>& value) {
  put(static_cast<std::uint64_t>(value.size()));
  bytes_.insert(bytes_.end(), value.begin(), value.end());
}

std::size_t ArchiveReader::get_count() {
  const auto count = get<std::uint64_t>();
  check(count <= bytes_.size(), "a message announces more than it holds");
  return static_cast<std::size_t>(count);
}

std::span<const std::byte> ArchiveReader::take(std::size_t count) {
  check(count <= bytes_.size(), "a message ends too early");
  const auto front = bytes_.first(count);
  bytes_ = bytes_.subspan(count);
  return front;
}

std::string ArchiveReader::get_string() {
  const auto text = take(get_count());
  return {reinterpret_cast<const char*>(text.data()), text.size()};
}

Shape ArchiveReader::get_shape() {
  return get_all<std::int64_t>([](ArchiveReader& archive) { return archive.get<std::int64_t>(); });
}

Box ArchiveReader::get_box() {
  auto start = get_shape();
  return Box{std::move(start), get_shape()};
}

ChunkGrid ArchiveReader::get_grid() {
  auto shape = get_shape();
  return {std::move(shape), get_shape()};
}

ErrorRecord ArchiveReader::get_error() {
  ErrorRecord record;
  record.kind = get<ErrorKind>();
  record.what = get_string();
  record.hint = get_string();
  record.context = get_all<std::string>([](ArchiveReader& archive) { return archive.get_string(); });
  return record;
}

Scalar ArchiveReader::get_scalar() {
  const auto dtype = get<DType>();
  switch (get<std::uint8_t>()) {
    case 0:
      return {dtype, get<std::uint8_t>() != 0};
    case 1:
      return {dtype, get<std::int64_t>()};
    case 2:
      return {dtype, get<std::uint64_t>()};
    case 3:
      return {dtype, get<double>()};
    default:
      break;
  }
  check(false, "a message holds a scalar of an unknown kind");
  return {};
}

std::vector<std::byte> ArchiveReader::get_blob() {
  const auto blob = take(get_count());
  return {blob.begin(), blob.end()};
}

}  // namespace brim
