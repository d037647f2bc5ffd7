#include "storage/source.h"

#include <fmt/format.h>

#include "brim/error.h"
#include "storage/file.h"
#include "storage/hdf5/reader.h"
#include "storage/library_lock.h"

namespace brim::storage {

// HDF5 is the only format so far; another one is chosen between here.
class Reader::Impl : public hdf5::DatasetReader {
 public:
  using DatasetReader::DatasetReader;
};

Source open_source(const DatasetAddress& address, const OpenOptions& options) {
  const LibraryLock lock;
  return hdf5::open_source(address, options);
}

void require_unchanged(const Source& source) {
  const auto& name = source.info.address.file;
  if (File::open(name, File::Access::kRead).stamp() != source.stamp)
    throw StorageError(fmt::format("{} has changed since the computation was planned", name),
                       "plan again; do not write to inputs while they are read");
}

Bytes read_scratch(const Source& source) { return hdf5::reader_scratch(source); }
Bytes library_memory(const Source& source) { return hdf5::reader_library_memory(source); }

Reader::Reader(const Source& source) {
  const LibraryLock lock;
  impl_ = std::make_unique<Impl>(source);
}
Reader::~Reader() {
  const LibraryLock lock;
  impl_.reset();
}
Reader::Reader(Reader&&) noexcept = default;
Reader& Reader::operator=(Reader&&) noexcept = default;

Bytes Reader::read(const Box& region, std::span<std::byte> destination, Scratch& scratch) {
  return impl_->read(region, destination, scratch);
}

}  // namespace brim::storage
