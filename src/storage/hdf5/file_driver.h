#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "storage/hdf5/call.h"

namespace brim::storage::hdf5 {

/// A stretch of a file, counted from its first byte (user block included).
struct Extent {
  std::int64_t offset = 0;
  std::int64_t size = 0;
};

/// brim's own way to HDF5 files. It takes none of HDF5's file locks, which fail on read-only and network file systems
/// and would stop others; it keeps little metadata in memory; system errors come out with their reason; and raw data
/// reads can be watched by an ExtentProbe.
Handle open_for_reading(const std::string& file);
/// Opens an existing file to change it. New objects have the format of HDF5 1.10: chunks of a data set that is
/// allocated when created lie side by side without an index, so a hundred thousand of them are made in no time.
Handle open_for_writing(const std::string& file);
/// Writes what HDF5 still holds of the file and closes it. Throws StorageError when either fails: HDF5 itself would
/// keep the file open for ever.
void close_written(Handle file, const std::string& name);
/// Makes a file empty that exists already and starts a new HDF5 file in it.
Handle start_file(const std::string& file);

/// What an open file with one open data set takes at most, beside the index of chunks: mostly the hash table and the
/// contents of HDF5's metadata cache.
inline constexpr std::int64_t kOpenFileBytes = 3 << 19;

/// While it lives, reads of raw data from these files in this thread do not happen: the place of the last
/// one is kept instead. This is how the place of a chunk is found in the time that HDF5 needs to look it up; its own
/// function for that, H5Dget_chunk_info_by_coord, walks over all chunks of the data set.
class ExtentProbe {
 public:
  ExtentProbe();
  ~ExtentProbe();
  ExtentProbe(const ExtentProbe&) = delete;
  ExtentProbe& operator=(const ExtentProbe&) = delete;
  const std::optional<Extent>& last() const { return last_; }
  void on_read(Extent extent) { last_ = extent; }

 private:
  std::optional<Extent> last_;
};

}  // namespace brim::storage::hdf5
