#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "brim/bytes.h"
#include "brim/chunk_grid.h"
#include "brim/error.h"
#include "core/scalar.h"

namespace brim {

/// Builds a flat byte string of values, for messages between processes of one machine (native byte order).
class ArchiveWriter {
 public:
  template <typename T>
  requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) void put(T value) {
    const auto* first = reinterpret_cast<const std::byte*>(&value);
    bytes_.insert(bytes_.end(), first, first + sizeof(T));
  }
  void put(Bytes value) { put(value.count()); }
  void put(const std::string& value);
  void put(const Shape& value);
  void put(const Box& value);
  void put(const ChunkGrid& value);
  void put(const ErrorRecord& value);
  void put(const Scalar& value);
  void put(const std::vector<std::byte>& value);
  /// A sequence of anything, each element written by `put_one(archive, element)`.
  template <typename T, typename PutOne>
  void put_all(const std::vector<T>& values, PutOne put_one) {
    put(static_cast<std::uint64_t>(values.size()));
    for (const T& value : values) put_one(*this, value);
  }

  std::span<const std::byte> bytes() const { return bytes_; }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

/// Reads back what ArchiveWriter wrote, in the same order. Every get throws InternalError at a short or
/// malformed input, so a damaged message is an error and never a wild read.
class ArchiveReader {
 public:
  explicit ArchiveReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <typename T>
  requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) T get() {
    T value;
    std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
    return value;
  }
  Bytes get_bytes() { return Bytes(get<std::int64_t>()); }
  std::string get_string();
  Shape get_shape();
  Box get_box();
  ChunkGrid get_grid();
  ErrorRecord get_error();
  Scalar get_scalar();
  std::vector<std::byte> get_blob();
  template <typename T, typename GetOne>
  std::vector<T> get_all(GetOne get_one) {
    const auto count = get_count();
    std::vector<T> values;
    values.reserve(count);
    for (std::size_t i = 0; i < count; ++i) values.push_back(get_one(*this));
    return values;
  }
  /// True when everything has been read.
  bool done() const { return bytes_.empty(); }

 private:
  /// A length that the bytes left can hold at one byte an element at least.
  std::size_t get_count();
  std::span<const std::byte> take(std::size_t count);
  std::span<const std::byte> bytes_;
};

}  // namespace brim
