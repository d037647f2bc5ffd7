#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "brim/dtype.h"
#include "brim/shape.h"

namespace brim {

/// Values in memory, C-contiguous.
struct Values {
  DType dtype = DType::kFloat64;
  Shape shape;
  std::vector<std::byte> bytes;
};

/// Reads a data set "FILE:/PATH" whole, or the region given, decoded. For results that fit in memory: it is not in any
/// budget. Throws UsageError, StorageError.
Values read(const std::string& address);
Values read(const std::string& address, const Box& region);

}  // namespace brim
