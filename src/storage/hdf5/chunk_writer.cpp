#include "storage/hdf5/chunk_writer.h"

#include <fmt/format.h>

#include <cstring>

#include "brim/error.h"
#include "core/check.h"
#include "storage/codec/shuffle.h"
#include "storage/hdf5/file_driver.h"
#include "storage/hdf5/layout.h"

namespace brim::storage::hdf5 {
namespace {

Shape offset_in(const Box& inner, const Shape& origin) {
  Shape offset = inner.start;
  for (std::size_t axis = 0; axis < offset.size(); ++axis) offset[axis] -= origin[axis];
  return offset;
}

}  // namespace

std::int64_t chunk_bytes(const OutputDataset& dataset) {
  return element_count(dataset.grid.chunk_shape()) * item_size(dataset.dtype);
}

std::int64_t most_stored(const OutputDataset& dataset) {
  return is_compressed(dataset) ? deflate_bound(chunk_bytes(dataset)) : chunk_bytes(dataset);
}

ChunkWriter::ChunkWriter(const OutputTarget& target) : target_(target), item_size_(item_size(target.dataset.dtype)) {
  if (target_.staging_file.empty())
    open_partial();
  else
    staging_.emplace(target_);
}

void ChunkWriter::open_partial() {
  DatasetAddress address{target_.partial_file, target_.dataset.address.path};
  hdf5_file_ = open_for_reading(address.file);
  stored_ = open_dataset(hdf5_file_.id(), address);
  partial_ = File::open(address.file, File::Access::kWrite, target_.dataset.address.file);
  if (!is_contiguous(target_.dataset)) {
    index_.emplace(stored_, target_.dataset.grid, address);
    return;
  }
  const QuietErrors quiet;
  const haddr_t offset = H5Dget_offset(stored_.handle.id());
  check(offset != HADDR_UNDEF, "an output without its place in the file");
  contiguous_offset_ = static_cast<std::int64_t>(offset);
}

Bytes ChunkWriter::write(const Box& region, std::span<const std::byte> data, Scratch& scratch) {
  const auto shape = region.shape();
  const auto& grid = target_.dataset.grid;
  check(shape.size() == grid.shape().size(), "a region of another rank than the output");
  check(std::ssize(data) == element_count(shape) * item_size_, "data of another size than the region");
  if (data.empty()) return {};
  const Scratch::Frame frame(scratch);
  RowWriter rows(partial_ ? *partial_ : staging_->file(), item_size_, scratch);
  const Box touched = grid.chunks_touching(region);
  Shape position = touched.start;
  std::int64_t bytes = 0;
  for (bool more = true; more;) {
    const auto chunk = grid.index(position);
    const Box box = grid.box(chunk);
    const Box common = intersect(box, region);
    check(!staging_ || common == box, "a region of a compressed output that cuts a chunk");
    const BoxRows part({shape, offset_in(common, region.start)}, {grid.chunk_shape(), offset_in(common, box.start)},
                       common.shape());
    bytes += write_part({chunk, part, data.data()}, rows, scratch);
    more = false;
    for (std::size_t axis = position.size(); axis-- > 0 && !more;) {
      more = ++position[axis] < touched.stop[axis];
      if (!more) position[axis] = touched.start[axis];
    }
  }
  return Bytes(bytes);
}

std::int64_t ChunkWriter::write_part(const Part& part, RowWriter& rows, Scratch& scratch) {
  if (!staging_) return rows.write(place(part.chunk), part.rows, part.values);
  if (is_compressed(target_.dataset)) return write_compressed(part, scratch);
  const auto bytes = rows.write(staging_->place(part.chunk), part.rows, part.values);
  staging_->finish(part.chunk, chunk_bytes(target_.dataset));
  return bytes;
}

std::int64_t ChunkWriter::write_compressed(const Part& part, Scratch& scratch) {
  const Scratch::Frame frame(scratch);
  const auto bytes = chunk_bytes(target_.dataset);
  const auto shuffled = scratch.take(bytes);
  const auto buffer = scratch.take(most_stored(target_.dataset));
  const auto elements = buffer.first(static_cast<std::size_t>(bytes));
  // What reaches over the edge of the shape is part of the chunk; zeros make the file the same every time.
  const bool whole = target_.dataset.grid.box(part.chunk).shape() == target_.dataset.grid.chunk_shape();
  if (!whole) std::memset(elements.data(), 0, elements.size());
  part.rows.for_each_group([&](const RowGroup& group) {
    for (std::int64_t row = 0; row < group.rows; ++row)
      std::memcpy(elements.data() + (group.to + row * group.to_stride) * item_size_,
                  part.values + (group.from + row * group.from_stride) * item_size_,
                  static_cast<std::size_t>(group.length * item_size_));
  });
  shuffle_bytes(elements, shuffled, static_cast<int>(item_size_));
  if (!deflater_) deflater_.emplace(target_.dataset.deflate_level);
  const auto size = deflater_->deflate(shuffled, buffer);
  staging_->file().write(staging_->place(part.chunk), buffer.first(size));
  staging_->finish(part.chunk, static_cast<std::int64_t>(size));
  return static_cast<std::int64_t>(size);
}

std::int64_t ChunkWriter::place(std::int64_t chunk) {
  if (contiguous_offset_ >= 0) return contiguous_offset_;
  const auto found = index_->find(chunk);
  check(found.has_value(), "a chunk of an output without its place in the file");
  return found->extent.offset;
}

Bytes writer_scratch(const OutputDataset& dataset) {
  std::int64_t bytes = RowWriter::kScratchBytes;
  if (is_compressed(dataset)) bytes += Scratch::cost(chunk_bytes(dataset)) + Scratch::cost(most_stored(dataset));
  return Bytes(bytes);
}

Bytes writer_library_memory(const OutputDataset& dataset) {
  if (is_compressed(dataset)) return Bytes(kDeflaterBytes);  // the staging file is no HDF5 file
  return Bytes(kOpenFileBytes + ChunkIndex::table_bytes(dataset.grid.chunk_count()));
}

}  // namespace brim::storage::hdf5
