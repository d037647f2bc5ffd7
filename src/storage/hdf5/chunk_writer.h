#pragma once

#include <optional>
#include <span>

#include "storage/codec/deflate.h"
#include "storage/file.h"
#include "storage/hdf5/chunk_index.h"
#include "storage/output.h"
#include "storage/row_writer.h"
#include "storage/staging.h"

namespace brim::storage::hdf5 {

/// Bytes of one whole chunk, and the most that it takes in a file.
std::int64_t chunk_bytes(const OutputDataset& dataset);
std::int64_t most_stored(const OutputDataset& dataset);

/// Writes regions of a data set to their places in the partial file, or chunk by chunk to a staging file; what
/// storage::Writer promises.
class ChunkWriter {
 public:
  explicit ChunkWriter(const OutputTarget& target);
  Bytes write(const Box& region, std::span<const std::byte> data, Scratch& scratch);

 private:
  struct Part {
    std::int64_t chunk;
    const BoxRows& rows;
    const std::byte* values;
  };
  void open_partial();
  std::int64_t write_part(const Part& part, RowWriter& rows, Scratch& scratch);
  std::int64_t write_compressed(const Part& part, Scratch& scratch);
  std::int64_t place(std::int64_t chunk);

  OutputTarget target_;
  std::int64_t item_size_;
  Handle hdf5_file_;
  StoredDataset stored_;
  std::optional<File> partial_;
  std::int64_t contiguous_offset_ = -1;
  std::optional<ChunkIndex> index_;
  std::optional<Staging> staging_;
  std::optional<Deflater> deflater_;
};

Bytes writer_scratch(const OutputDataset& dataset);
Bytes writer_library_memory(const OutputDataset& dataset);

}  // namespace brim::storage::hdf5
