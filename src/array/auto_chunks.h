#pragma once

#include <optional>

#include "brim/shape.h"

namespace brim {

/// Chunks to compute with when nobody names any: multiples of the storage chunks (or of single elements), as near 16
/// MiB as can be from below, grown from the last axis to the first so that a chunk stays a long run of the file.
/// Storage chunks that are larger already stay as they are. Extents are at least 1.
Shape auto_chunks(const Shape& shape, std::int64_t item_size, const std::optional<Shape>& storage_chunk);

}  // namespace brim
