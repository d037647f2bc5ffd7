#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "brim/dtype.h"

namespace brim::storage {

enum class StoredKind : std::uint8_t { kBool, kSigned, kUnsigned, kFloat };

/// How one element lies in a file: its kind, its bytes, and whether their order is not this machine's.
struct StoredType {
  StoredKind kind = StoredKind::kFloat;
  int size = 8;  ///< 1, 2, 4 or 8; a 2 byte float is IEEE half precision
  bool swapped = false;

  friend bool operator==(const StoredType&, const StoredType&) = default;
};

/// "int16", "float16"; elements in the other byte order have NumPy's short names: ">f4".
std::string to_string(StoredType type);
/// The inverse of to_string(), or nothing.
std::optional<StoredType> find_stored_type(std::string_view name);
/// The dtype that holds such elements without loss.
DType natural_dtype(StoredType type);
/// How elements of a dtype lie in this machine's memory.
StoredType stored_type(DType dtype);

}  // namespace brim::storage
