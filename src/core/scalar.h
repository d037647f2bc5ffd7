#pragma once

#include <cstdint>
#include <variant>

#include "brim/dtype.h"

namespace brim {

/// One value of any dtype, kept without loss: bool, every signed and unsigned integer, floating.
using ScalarValue = std::variant<bool, std::int64_t, std::uint64_t, double>;

/// A scalar with its dtype. The alternative held belongs to the dtype's kind (bool, signed, unsigned, floating);
/// a float32 scalar holds the double of its rounded value.
struct Scalar {
  DType dtype = DType::kFloat64;
  ScalarValue value = 0.0;
};

}  // namespace brim
