#pragma once

#include <cstddef>
#include <cstring>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "brim/dtype.h"
#include "brim/shape.h"

namespace brim::oracle {

/// An array on its way to or from NumPy: C-contiguous, native byte order.
struct OracleArray {
  DType dtype = DType::kFloat64;
  Shape shape;
  std::vector<std::byte> bytes;

  /// The elements; T must have the item size of the dtype (bool as std::uint8_t or bool).
  template <typename T>
  std::span<const T> as() const {
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
};

/// An array of those elements.
template <typename T>
OracleArray oracle_array(DType dtype, Shape shape, std::span<const T> elements) {
  OracleArray array{dtype, std::move(shape), std::vector<std::byte>(elements.size_bytes())};
  if (!elements.empty()) std::memcpy(array.bytes.data(), elements.data(), elements.size_bytes());
  return array;
}

/// The value of a Python expression over the named arrays, computed by NumPy ("np") in a helper process that lives as
/// long as the test program. `kept` is a dict that stays between calls; `seconds(f, n)` is the shortest time of n calls
/// of f. Floating point warnings are off. Throws std::runtime_error with Python's message when the expression fails or
/// its result has a dtype that brim does not know. Not thread safe.
OracleArray evaluate(const std::string& expression, const std::map<std::string, OracleArray>& names = {});

}  // namespace brim::oracle
