#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "brim/chunk_grid.h"
#include "storage/hdf5/dataset.h"
#include "storage/hdf5/file_driver.h"

namespace brim::storage::hdf5 {

/// Where a chunk lies and which of its filters were left out (bit i for filter number i).
struct ChunkPlace {
  Extent extent;
  std::uint32_t filter_mask = 0;
};

/// Finds the chunks of one data set in its file; remembers the latest in a table of fixed size.
class ChunkIndex {
 public:
  /// What the table for that many chunks takes.
  static std::int64_t table_bytes(std::int64_t chunk_count);
  /// What HDF5's own index of that many chunks takes in memory at most. Chunks that were allocated ahead have none.
  static std::int64_t library_bytes(std::int64_t chunk_count);

  ChunkIndex(const StoredDataset& dataset, ChunkGrid grid, const DatasetAddress& address);
  /// The place of a chunk, or nothing when it was never written.
  std::optional<ChunkPlace> find(std::int64_t chunk);

 private:
  struct Entry {
    std::int64_t chunk = -1;
    bool exists = false;
    ChunkPlace place;
  };
  Entry look_up(const Shape& coordinates, const Shape& chunk_shape) const;
  bool is_missing(const std::vector<hsize_t>& first) const;

  hid_t dataset_;
  ChunkGrid grid_;
  std::string action_;
  std::vector<Entry> table_;
};

}  // namespace brim::storage::hdf5
