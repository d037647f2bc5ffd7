#include "storage/hdf5/assemble.h"

#include <algorithm>

#include "core/check.h"
#include "storage/hdf5/chunk_writer.h"
#include "storage/hdf5/dimension_scales.h"
#include "storage/hdf5/file_driver.h"
#include "storage/hdf5/layout.h"
#include "storage/staging.h"

namespace brim::storage::hdf5 {
namespace {

void put_chunk(hid_t data, const OutputDataset& dataset, std::int64_t chunk, std::span<const std::byte> stored) {
  const auto action = "write " + to_string(dataset.address);
  if (is_contiguous(dataset)) {
    const Handle type = file_type(dataset.dtype);
    call(action, H5Dwrite, data, type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, static_cast<const void*>(stored.data()));
    return;
  }
  const auto start = dataset.grid.box(chunk).start;
  const std::vector<hsize_t> offset(start.begin(), start.end());
  call(action, H5Dwrite_chunk, data, H5P_DEFAULT, 0U, offset.data(), stored.size(),
       static_cast<const void*>(stored.data()));
}

std::int64_t move_chunks(hid_t file, const OutputTarget& target, Scratch& scratch) {
  const Scratch::Frame frame(scratch);
  const auto& dataset = target.dataset;
  const Staging staging(target);
  const auto buffer = scratch.take(most_stored(dataset));
  const Handle data =
      open("open " + to_string(dataset.address), H5Dclose, H5Dopen2, file, dataset.address.path.c_str(), H5P_DEFAULT);
  std::int64_t bytes = 0;
  for (std::int64_t chunk = 0; chunk < dataset.grid.chunk_count(); ++chunk) {
    const auto size = staging.size(chunk);
    check(size <= std::ssize(buffer), "a staged chunk is larger than its bound");
    const auto stored = buffer.first(static_cast<std::size_t>(size));
    staging.file().read(staging.place(chunk), stored);
    put_chunk(data.id(), dataset, chunk, stored);
    bytes += size;
  }
  return bytes;
}

}  // namespace

Bytes assembly_scratch(const std::vector<OutputDataset>& datasets) {
  std::int64_t buffer = 0;
  std::int64_t index = 0;
  for (const auto& dataset : datasets) {
    buffer = std::max(buffer, Scratch::cost(most_stored(dataset)));
    index = std::max(index, ChunkIndex::library_bytes(dataset.grid.chunk_count()));
  }
  // Beside it: the file being written, one at a time that attributes come from, and a dimension scale being copied.
  return Bytes(buffer + index + 2 * kOpenFileBytes + 2 * kMostScaleBytes);
}

Bytes assemble_file(const std::vector<OutputTarget>& targets, Scratch& scratch) {
  check(!targets.empty(), "nothing to assemble");
  std::vector<OutputDataset> datasets;
  for (const auto& target : targets) datasets.push_back(target.dataset);
  const File partial = File::open(targets.front().partial_file, File::Access::kWrite);
  lay_out(partial, targets.front().existing_file, datasets, Room::kAsNeeded);
  Handle file = open_for_writing(partial.name());
  std::int64_t bytes = 0;
  for (const auto& target : targets) bytes += move_chunks(file.id(), target, scratch);
  close_written(std::move(file), partial.name());
  return Bytes(bytes);
}

}  // namespace brim::storage::hdf5
