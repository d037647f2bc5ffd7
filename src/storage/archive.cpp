#include "storage/output.h"
#include "storage/source.h"

namespace brim::storage {
namespace {

void put_string(ArchiveWriter& archive, const std::string& text) { archive.put(text); }
std::string get_string(ArchiveReader& archive) { return archive.get_string(); }
void put_double(ArchiveWriter& archive, double value) { archive.put(value); }
double get_double(ArchiveReader& archive) { return archive.get<double>(); }

void put_address(ArchiveWriter& archive, const DatasetAddress& address) {
  archive.put(address.file);
  archive.put(address.path);
}

DatasetAddress get_address(ArchiveReader& archive) {
  DatasetAddress address;
  address.file = archive.get_string();
  address.path = archive.get_string();
  return address;
}

void put_info(ArchiveWriter& archive, const DatasetInfo& info) {
  put_address(archive, info.address);
  archive.put(info.shape);
  archive.put(info.dtype);
  archive.put(info.stored_dtype);
  archive.put(info.chunk_shape.has_value());
  if (info.chunk_shape) archive.put(*info.chunk_shape);
  archive.put(info.layout);
  archive.put_all(info.filters, put_string);
  archive.put(info.stored_size);
  archive.put(info.decoded);
  archive.put_all(info.dimension_names, put_string);
}

DatasetInfo get_info(ArchiveReader& archive) {
  DatasetInfo info;
  info.address = get_address(archive);
  info.shape = archive.get_shape();
  info.dtype = archive.get<DType>();
  info.stored_dtype = archive.get_string();
  if (archive.get<bool>()) info.chunk_shape = archive.get_shape();
  info.layout = archive.get_string();
  info.filters = archive.get_all<std::string>(get_string);
  info.stored_size = archive.get_bytes();
  info.decoded = archive.get<bool>();
  info.dimension_names = archive.get_all<std::string>(get_string);
  return info;
}

}  // namespace

void Source::put(ArchiveWriter& archive) const {
  put_info(archive, info);
  archive.put(decoding.active);
  archive.put_all(decoding.missing, put_double);
  archive.put(decoding.scale);
  archive.put(decoding.offset);
  archive.put(decoding.has_offset);
  archive.put(decoding.flip_sign);
  archive.put(stamp.size);
  archive.put(stamp.modified_nanoseconds);
  archive.put(stamp.inode);
  archive.put(through_library);
}

Source Source::get(ArchiveReader& archive) {
  Source source;
  source.info = get_info(archive);
  source.decoding.active = archive.get<bool>();
  source.decoding.missing = archive.get_all<double>(get_double);
  source.decoding.scale = archive.get<double>();
  source.decoding.offset = archive.get<double>();
  source.decoding.has_offset = archive.get<bool>();
  source.decoding.flip_sign = archive.get<bool>();
  source.stamp.size = archive.get<std::int64_t>();
  source.stamp.modified_nanoseconds = archive.get<std::int64_t>();
  source.stamp.inode = archive.get<std::uint64_t>();
  source.through_library = archive.get<bool>();
  return source;
}

void OutputTarget::put(ArchiveWriter& archive) const {
  put_address(archive, dataset.address);
  archive.put(dataset.dtype);
  archive.put(dataset.grid);
  archive.put(dataset.deflate_level);
  archive.put_all(dataset.dimension_names, put_string);
  archive.put(dataset.attributes_from.has_value());
  if (dataset.attributes_from) put_address(archive, *dataset.attributes_from);
  archive.put(partial_file);
  archive.put(existing_file);
  archive.put(staging_file);
  archive.put(slot_bytes);
}

OutputTarget OutputTarget::get(ArchiveReader& archive) {
  OutputTarget target;
  target.dataset.address = get_address(archive);
  target.dataset.dtype = archive.get<DType>();
  target.dataset.grid = archive.get_grid();
  target.dataset.deflate_level = archive.get<int>();
  target.dataset.dimension_names = archive.get_all<std::string>(get_string);
  if (archive.get<bool>()) target.dataset.attributes_from = get_address(archive);
  target.partial_file = archive.get_string();
  target.existing_file = archive.get_string();
  target.staging_file = archive.get_string();
  target.slot_bytes = archive.get<std::int64_t>();
  return target;
}

}  // namespace brim::storage
