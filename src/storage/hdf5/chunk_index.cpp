#include "storage/hdf5/chunk_index.h"

#include <algorithm>

#include "core/check.h"

namespace brim::storage::hdf5 {

namespace {

std::int64_t table_entries(std::int64_t chunk_count) { return std::min<std::int64_t>(4096, chunk_count); }

}  // namespace

std::int64_t ChunkIndex::table_bytes(std::int64_t chunk_count) {
  return table_entries(chunk_count) * static_cast<std::int64_t>(sizeof(Entry));
}

std::int64_t ChunkIndex::library_bytes(std::int64_t chunk_count) {
  // The metadata cache of file_driver.cpp holds the latest part of a large index; in memory it is larger than on disk.
  constexpr std::int64_t kBytesOfAChunk = 128;
  constexpr std::int64_t kMostBytes = 3 << 19;
  return std::min(chunk_count * kBytesOfAChunk, kMostBytes);
}

ChunkIndex::ChunkIndex(const StoredDataset& dataset, ChunkGrid grid, const DatasetAddress& address)
    : dataset_(dataset.handle.id()),
      grid_(std::move(grid)),
      action_("find a chunk of " + to_string(address)),
      table_(static_cast<std::size_t>(table_entries(grid_.chunk_count()))) {}

std::optional<ChunkPlace> ChunkIndex::find(std::int64_t chunk) {
  check(chunk >= 0 && chunk < grid_.chunk_count(), "a chunk number out of range");
  Entry& entry = table_[static_cast<std::size_t>(chunk) % table_.size()];
  if (entry.chunk != chunk) {
    entry = look_up(grid_.coordinates(chunk), grid_.chunk_shape());
    entry.chunk = chunk;
  }
  return entry.exists ? std::optional(entry.place) : std::nullopt;
}

ChunkIndex::Entry ChunkIndex::look_up(const Shape& coordinates, const Shape& chunk_shape) const {
  std::vector<hsize_t> first(coordinates.size());
  for (std::size_t axis = 0; axis < first.size(); ++axis)
    first[axis] = static_cast<hsize_t>(coordinates[axis]) * static_cast<hsize_t>(chunk_shape[axis]);
  Entry entry;
  const QuietErrors quiet;
  ExtentProbe probe;
  std::byte nowhere{};  // the probe keeps HDF5 from writing to it
  if (H5Dread_chunk(dataset_, H5P_DEFAULT, first.data(), &entry.place.filter_mask, &nowhere) < 0) {
    if (!is_missing(first)) throw_hdf5_error(action_);
    return entry;
  }
  check(probe.last().has_value(), "HDF5 read a chunk without reading the file");
  entry.place.extent = *probe.last();
  entry.exists = true;
  return entry;
}

/// H5Dread_chunk fails for chunks that were never written. Its reason says so; should other versions say it otherwise,
/// the slow way answers.
bool ChunkIndex::is_missing(const std::vector<hsize_t>& first) const {
  const auto reason = error_reason();
  if (reason == "chunk address isn't defined" || reason == "chunk storage is not allocated") return true;
  unsigned mask = 0;
  haddr_t address = HADDR_UNDEF;
  hsize_t size = 0;
  call(action_, H5Dget_chunk_info_by_coord, dataset_, first.data(), &mask, &address, &size);
  return address == HADDR_UNDEF;
}

}  // namespace brim::storage::hdf5
