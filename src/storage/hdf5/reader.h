#pragma once

#include <memory>
#include <optional>
#include <span>

#include "storage/file.h"
#include "storage/hdf5/chunk_decoder.h"
#include "storage/hdf5/chunk_index.h"
#include "storage/row_reader.h"
#include "storage/source.h"

namespace brim::storage::hdf5 {

/// Reads regions of one HDF5 data set; what storage::Reader promises. The library is asked for the places of chunks
/// under its lock; reading and decoding them needs none.
class DatasetReader {
 public:
  explicit DatasetReader(const Source& source);
  Bytes read(const Box& region, std::span<std::byte> destination, Scratch& scratch);

 private:
  struct Target {
    const Box& region;
    const Shape& shape;  ///< of the region
    std::byte* values;
    Scratch& scratch;
    RowReader* rows = nullptr;        ///< of a chunked data set
    ChunkDecoder* decoder = nullptr;  ///< of one with filters
  };
  std::int64_t read_contiguous(const Target& target);
  std::int64_t read_chunks(const Target& whole);
  std::int64_t read_chunk(std::int64_t chunk, const Target& target);
  std::int64_t read_filtered(const ChunkPlace& place, std::int64_t chunk, const BoxRows& rows, const Target& target);
  std::int64_t read_by_library(const Target& target);
  void read_piece(const Box& piece, std::byte* memory);
  void fill(const BoxRows& rows, std::byte* values);

  Source source_;
  Handle file_;
  StoredDataset dataset_;
  File raw_;
  ElementConversion conversion_;
  ChunkGrid chunks_;
  std::int64_t contiguous_offset_ = -1;  ///< -1: nothing was ever written
  std::optional<ChunkIndex> index_;
};

/// Upper bounds for storage::read_scratch() and storage::library_memory().
Bytes reader_scratch(const Source& source);
Bytes reader_library_memory(const Source& source);

Source open_source(const DatasetAddress& address, const OpenOptions& options);

}  // namespace brim::storage::hdf5
