#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/scratch.h"
#include "storage/codec/deflate.h"
#include "storage/hdf5/dataset.h"

namespace brim::storage::hdf5 {

/// Undoes the filters of chunks of one data set.
class ChunkDecoder {
 public:
  /// The most that a stored chunk can take when its elements take `chunk_bytes`; larger ones are damaged.
  static std::int64_t most_stored(std::int64_t chunk_bytes);
  /// Two buffers that the chunk goes back and forth between.
  static std::int64_t scratch_bytes(std::int64_t chunk_bytes) { return 2 * Scratch::cost(most_stored(chunk_bytes)); }

  ChunkDecoder(const std::vector<Filter>& filters, std::int64_t chunk_bytes);

  /// `stored` is the front of `buffer`; the elements come out in `buffer` or `other`, both of most_stored() bytes.
  /// Throws StorageError for damaged data, with no more than the reason.
  std::span<std::byte> decode(std::span<std::byte> stored, std::uint32_t filter_mask, std::span<std::byte> buffer,
                              std::span<std::byte> other);

 private:
  const std::vector<Filter>& filters_;
  std::int64_t chunk_bytes_;
  std::optional<Inflater> inflater_;
};

}  // namespace brim::storage::hdf5
