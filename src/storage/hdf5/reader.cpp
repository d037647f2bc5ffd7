#include "storage/hdf5/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "brim/error.h"
#include "core/check.h"
#include "storage/hdf5/file_driver.h"
#include "storage/library_lock.h"

namespace brim::storage::hdf5 {
namespace {

/// Elements of that many bytes are read by the library and converted at once.
constexpr std::int64_t kPieceBytes = 256 << 10;

Handle open_unchanged(const Source& source) {
  require_unchanged(source);
  return open_hdf5_file(source.info.address.file);
}

StoredDataset open_for_route(hid_t file, const DatasetAddress& address) {
  auto dataset = open_dataset(file, address);
  if (dataset.route != Route::kLibrary || !dataset.chunk_shape || !dataset.element) return dataset;
  const auto cache = element_count(*dataset.chunk_shape) * dataset.element->type.size;
  dataset.handle = reopen_with_cache(file, address, cache);
  return dataset;
}

/// Cuts a box into pieces of at most that many elements, in C order.
template <typename Visit>
void for_each_piece(const Box& box, std::int64_t most, Visit visit) {
  const auto shape = box.shape();
  if (element_count(shape) <= most || shape.empty()) {
    visit(box);
    return;
  }
  const auto axis = static_cast<std::size_t>(
      std::find_if(shape.begin(), shape.end(), [](std::int64_t extent) { return extent > 1; }) - shape.begin());
  const auto inner = element_count(shape) / shape[axis];
  const auto step = std::max<std::int64_t>(1, most / inner);
  for (auto start = box.start[axis]; start < box.stop[axis]; start += step) {
    Box part = box;
    part.start[axis] = start;
    part.stop[axis] = std::min(box.stop[axis], start + step);
    for_each_piece(part, most, visit);
  }
}

Shape offset_in(const Box& inner, const Shape& origin) {
  Shape offset = inner.start;
  for (std::size_t axis = 0; axis < offset.size(); ++axis) offset[axis] -= origin[axis];
  return offset;
}

}  // namespace

DatasetReader::DatasetReader(const Source& source)
    : source_(source),
      file_(open_unchanged(source)),
      dataset_(open_for_route(file_.id(), source.info.address)),
      raw_(File::open(dataset_.file, File::Access::kRead)),
      conversion_((check(dataset_.element.has_value(), "a source of another element type"), dataset_.element->type),
                  source_.decoding) {
  if (dataset_.route == Route::kContiguous) {
    const QuietErrors quiet;
    const haddr_t offset = H5Dget_offset(dataset_.handle.id());
    if (offset != HADDR_UNDEF) contiguous_offset_ = static_cast<std::int64_t>(offset);
  }
  if (dataset_.route == Route::kChunks) {
    chunks_ = ChunkGrid(dataset_.shape, *dataset_.chunk_shape);
    index_.emplace(dataset_, chunks_, source_.info.address);
  }
}

Bytes DatasetReader::read(const Box& region, std::span<std::byte> destination, Scratch& scratch) {
  const auto shape = region.shape();
  check(shape.size() == dataset_.shape.size(), "a region of another rank than the data set");
  check(std::ssize(destination) == element_count(shape) * conversion_.value_size, "a destination of another size");
  if (destination.empty()) return {};
  const Target target{region, shape, destination.data(), scratch};
  const Scratch::Frame frame(scratch);
  try {
    switch (dataset_.route) {
      case Route::kContiguous:
        return Bytes(read_contiguous(target));
      case Route::kChunks:
        return Bytes(read_chunks(target));
      case Route::kLibrary:
        return Bytes(read_by_library(target));
    }
  } catch (const StorageError& error) {
    auto record = error.record();
    record.what = fmt::format("cannot read {} {}: {}", to_string(source_.info.address), to_string(region), record.what);
    throw_error(record);
  }
  return {};
}

std::int64_t DatasetReader::read_contiguous(const Target& target) {
  const BoxRows rows({dataset_.shape, target.region.start}, {target.shape, Shape(target.shape.size())}, target.shape);
  if (contiguous_offset_ < 0) {
    fill(rows, target.values);
    return 0;
  }
  return RowReader(raw_, conversion_, target.scratch).read(contiguous_offset_, rows, target.values);
}

std::int64_t DatasetReader::read_chunks(const Target& whole) {
  RowReader rows(raw_, conversion_, whole.scratch);
  ChunkDecoder decoder(dataset_.filters, element_count(*dataset_.chunk_shape) * conversion_.stored_size);
  const Target target{whole.region, whole.shape, whole.values, whole.scratch, &rows, &decoder};
  const Box touched = chunks_.chunks_touching(target.region);
  Shape position = touched.start;
  std::int64_t bytes = 0;
  for (bool more = true; more;) {
    bytes += read_chunk(chunks_.index(position), target);
    more = false;
    for (std::size_t axis = position.size(); axis-- > 0 && !more;) {
      more = ++position[axis] < touched.stop[axis];
      if (!more) position[axis] = touched.start[axis];
    }
  }
  return bytes;
}

std::int64_t DatasetReader::read_chunk(std::int64_t chunk, const Target& target) {
  const Box box = chunks_.box(chunk);
  const Box common = intersect(box, target.region);
  const Placement from{*dataset_.chunk_shape, offset_in(common, box.start)};
  const Placement to{target.shape, offset_in(common, target.region.start)};
  const BoxRows rows(from, to, common.shape());
  const auto place = [&] {
    const LibraryLock lock;
    return index_->find(chunk);
  }();
  if (!place) {
    fill(rows, target.values);
    return 0;
  }
  if (dataset_.filters.empty()) return target.rows->read(place->extent.offset, rows, target.values);
  return read_filtered(*place, chunk, rows, target);
}

std::int64_t DatasetReader::read_filtered(const ChunkPlace& place, std::int64_t chunk, const BoxRows& rows,
                                          const Target& target) {
  const auto chunk_bytes = element_count(*dataset_.chunk_shape) * conversion_.stored_size;
  const auto most = ChunkDecoder::most_stored(chunk_bytes);
  const Scratch::Frame frame(target.scratch);
  const auto buffer = target.scratch.take(most);
  const auto other = target.scratch.take(most);
  const bool whole = chunks_.box(chunk).shape() == *dataset_.chunk_shape;
  const auto mask = dataset_.edges_unfiltered && !whole ? ~std::uint32_t{0} : place.filter_mask;
  try {
    if (place.extent.size > most)
      throw StorageError(fmt::format("{} bytes are stored for it, {} are possible", place.extent.size, most));
    const auto stored = buffer.first(static_cast<std::size_t>(place.extent.size));
    raw_.read(place.extent.offset, stored);
    const auto elements = target.decoder->decode(stored, mask, buffer, other);
    convert_rows(elements.data(), rows, conversion_, target.values);
  } catch (const StorageError& error) {
    auto record = error.record();
    record.what = fmt::format("chunk {} at byte {}: {}", brim::to_string(chunks_.coordinates(chunk)),
                              place.extent.offset, record.what);
    if (record.hint.empty()) record.hint = "the file is damaged: get it again";
    throw_error(record);
  }
  return place.extent.size;
}

void DatasetReader::fill(const BoxRows& rows, std::byte* values) {
  const auto element = [&] {
    const LibraryLock lock;
    return fill_element(dataset_);
  }();
  std::array<std::byte, sizeof(double)> value{};
  conversion_(element.data(), value.data(), 1);
  const auto size = static_cast<std::size_t>(conversion_.value_size);
  rows.for_each_group([&](const RowGroup& group) {
    for (std::int64_t row = 0; row < group.rows; ++row) {
      auto* to = values + (group.to + row * group.to_stride) * conversion_.value_size;
      for (std::int64_t i = 0; i < group.length; ++i, to += size) std::memcpy(to, value.data(), size);
    }
  });
}

std::int64_t DatasetReader::read_by_library(const Target& target) {
  const LibraryLock lock;
  if (conversion_.convert == nullptr) {
    read_piece(target.region, target.values);
  } else {
    const auto buffer = target.scratch.take(kPieceBytes);
    auto* to = target.values;
    for_each_piece(target.region, kPieceBytes / conversion_.stored_size, [&](const Box& piece) {
      const auto count = element_count(piece.shape());
      read_piece(piece, buffer.data());
      conversion_(buffer.data(), to, count);
      to += count * conversion_.value_size;
    });
  }
  return element_count(target.shape) * conversion_.stored_size;
}

void DatasetReader::read_piece(const Box& piece, std::byte* memory) {
  const std::string action = "read it with HDF5";
  const Handle space = hdf5::open(action, H5Sclose, H5Dget_space, dataset_.handle.id());
  const auto shape = piece.shape();
  const std::vector<hsize_t> start(piece.start.begin(), piece.start.end());
  const std::vector<hsize_t> count(shape.begin(), shape.end());
  Handle in_memory;
  if (shape.empty()) {
    in_memory = hdf5::open(action, H5Sclose, H5Screate, H5S_SCALAR);
  } else {
    call(action, H5Sselect_hyperslab, space.id(), H5S_SELECT_SET, start.data(), static_cast<const hsize_t*>(nullptr),
         count.data(), static_cast<const hsize_t*>(nullptr));
    in_memory = hdf5::open(action, H5Sclose, H5Screate_simple, static_cast<int>(count.size()), count.data(),
                           static_cast<const hsize_t*>(nullptr));
  }
  // Where brim knows the bits it asks for them as they are; HDF5 converts the others.
  const Handle stored = hdf5::open(action, H5Tclose, H5Dget_type, dataset_.handle.id());
  const hid_t type = dataset_.element->plain ? stored.id() : native_type(dataset_.element->type);
  call(action, H5Dread, dataset_.handle.id(), type, in_memory.id(), space.id(), H5P_DEFAULT,
       static_cast<void*>(memory));
}

Bytes reader_scratch(const Source& source) {
  if (source.through_library) return Bytes(Scratch::cost(kPieceBytes));
  if (source.info.filters.empty() || !source.info.chunk_shape) return Bytes(RowReader::kScratchBytes);
  const auto type = find_stored_type(source.info.stored_dtype);
  check(type.has_value(), "a source of an unknown element type");
  const auto chunk_bytes = element_count(*source.info.chunk_shape) * type->size;
  return Bytes(RowReader::kScratchBytes + ChunkDecoder::scratch_bytes(chunk_bytes));
}

Bytes reader_library_memory(const Source& source) {
  // HDF5's buffers for type conversion, and for filters the chunk before, after and in its cache.
  constexpr std::int64_t kConversionBytes = 3 << 20;
  const auto& info = source.info;
  std::int64_t bytes = kOpenFileBytes;
  if (info.chunk_shape) {
    const auto chunks = ChunkGrid(info.shape, *info.chunk_shape).chunk_count();
    bytes += ChunkIndex::table_bytes(chunks) + ChunkIndex::library_bytes(chunks);
  }
  if (!info.filters.empty()) bytes += kInflaterBytes;
  if (!source.through_library) return Bytes(bytes);
  bytes += kConversionBytes;
  if (info.chunk_shape) bytes += 3 * element_count(*info.chunk_shape) * static_cast<std::int64_t>(sizeof(double));
  return Bytes(bytes);
}

}  // namespace brim::storage::hdf5
