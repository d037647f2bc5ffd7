#pragma once

#include <memory>
#include <span>

#include "brim/dataset.h"
#include "core/archive.h"
#include "core/scratch.h"

namespace brim::storage {

/// How stored values become values: value = stored * scale + offset, NaN where stored equals fill or missing.
/// Follows xarray's decode_cf: integers with a fill value, scale or offset become floating (float32 for 8 and 16 bit
/// integers without an add_offset, float64 otherwise), floats keep their dtype.
struct Decoding {
  bool active = false;
  std::vector<double> missing;  ///< stored values (as double) that mean "no value"
  double scale = 1.0;
  double offset = 0.0;
  bool has_offset = false;  ///< an add_offset was given, be it 0
  bool flip_sign = false;   ///< _Unsigned: the integers' bits mean unsigned (or signed) ones
};

/// Tells whether a file is still the one that was planned with.
struct FileStamp {
  std::int64_t size = 0;
  std::int64_t modified_nanoseconds = 0;
  std::uint64_t inode = 0;

  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

/// Everything a worker needs to read a data set without asking anybody: a plain value that the archive carries.
struct Source {
  DatasetInfo info;
  Decoding decoding;
  FileStamp stamp;
  bool through_library = false;  ///< layout, filters or elements are such that only the file's own library reads them

  void put(ArchiveWriter& archive) const;
  static Source get(ArchiveReader& archive);
};

struct OpenOptions {
  bool decode = true;  ///< apply _FillValue, missing_value, scale_factor and add_offset
};

/// Reads the metadata of one data set. Throws StorageError: file or name not found (with near matches), not an HDF5
/// file, truncated, permission denied, unsupported dtype, missing filter plugin.
Source open_source(const DatasetAddress& address, const OpenOptions& options);

/// Throws StorageError when the file is gone or is not the one planned with (stamp).
void require_unchanged(const Source& source);

/// Upper bound of what Reader::read takes from its Scratch, for any region of this source.
Bytes read_scratch(const Source& source);

/// Upper bound of what the HDF5 library itself allocates while a Reader lives, beyond the scratch.
Bytes library_memory(const Source& source);

/// Reads regions of one data set into memory, decoded, in native byte order. One Reader per worker and source; keeps
/// the file open and learns chunk addresses as it goes.
class Reader {
 public:
  /// Throws StorageError when the file is gone or is not the one planned with (stamp).
  explicit Reader(const Source& source);
  ~Reader();
  Reader(Reader&&) noexcept;
  Reader& operator=(Reader&&) noexcept;

  /// Fills `destination` (C-contiguous, region's shape, info.dtype) with the values of `region`. Returns the bytes
  /// taken from the file. May be called by several threads at once, each with a scratch of its own. Throws
  /// StorageError with file, data set and region.
  Bytes read(const Box& region, std::span<std::byte> destination, Scratch& scratch);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace brim::storage
