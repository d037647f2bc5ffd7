#include <fmt/format.h>

#include <array>
#include <cstring>
#include <string_view>

#include "brim/error.h"
#include "storage/file.h"
#include "storage/hdf5/dataset.h"
#include "storage/hdf5/file_driver.h"

namespace brim::storage::hdf5 {
namespace {

constexpr std::string_view kSignature = "\x89HDF\r\n\x1a\n";

bool starts_with_signature(const File& file, std::int64_t offset) {
  std::array<std::byte, kSignature.size()> bytes{};
  file.read(offset, bytes);
  return std::memcmp(bytes.data(), kSignature.data(), bytes.size()) == 0;
}

/// The signature is at byte 0, or behind a user block of 512, 1024, 2048, ... bytes.
bool has_signature(const File& file, std::int64_t size) {
  const auto last = size - static_cast<std::int64_t>(kSignature.size());
  for (std::int64_t offset = 0; offset <= last; offset = offset == 0 ? 512 : 2 * offset)
    if (starts_with_signature(file, offset)) return true;
  return false;
}

struct Looks {
  std::string_view start;
  std::string_view name;
  std::string_view hint;
};

constexpr std::array kLooks = {
    Looks{"CDF\x01", "a classic netCDF file", "turn it into HDF5: nccopy -4 {} {}.h5"},
    Looks{"CDF\x02", "a classic netCDF file (64-bit offset)", "turn it into HDF5: nccopy -4 {} {}.h5"},
    Looks{"CDF\x05", "a classic netCDF file (64-bit data)", "turn it into HDF5: nccopy -4 {} {}.h5"},
    Looks{"\x0e\x03\x13\x01", "an HDF4 file", "turn it into HDF5: h4toh5 {} {}.h5"},
    Looks{"GRIB", "a GRIB file", "turn it into netCDF-4: grib_to_netcdf -k 4 -o {1}.nc {0}"},
    Looks{"\x1f\x8b", "a gzip file", "unpack it first: gunzip {}"},
    Looks{"BZh", "a bzip2 file", "unpack it first: bunzip2 {}"},
    Looks{"\xfd"
          "7zXZ",
          "an xz file", "unpack it first: unxz {}"},
    Looks{"PK\x03\x04", "a zip file", "unpack it first: unzip {}"},
    Looks{"\x93NUMPY", "a NumPy file", "write it as HDF5 with h5py"},
    Looks{"II*", "a TIFF file", ""},
    Looks{"MM\0*", "a TIFF file", ""},
};

[[noreturn]] void throw_other_kind(const File& file, std::int64_t size) {
  if (size == 0) throw StorageError(fmt::format("{} is empty", file.name()), "was it written to its end?");
  std::array<char, 8> start{};
  const auto length = std::min<std::size_t>(start.size(), static_cast<std::size_t>(size));
  file.read(0, std::as_writable_bytes(std::span(start).first(length)));
  const std::string_view bytes(start.data(), length);
  for (const auto& looks : kLooks)
    if (bytes.starts_with(looks.start))
      throw StorageError(fmt::format("{} is not an HDF5 file: it looks like {}", file.name(), looks.name),
                         fmt::format(fmt::runtime(looks.hint), file.name(), file.name()));
  throw StorageError(fmt::format("{} is not an HDF5 file", file.name()),
                     "brim reads HDF5 and netCDF-4 files; see what it is: file " + file.name());
}

}  // namespace

Handle open_hdf5_file(const std::string& name) {
  const File file = File::open(name, File::Access::kRead);
  const auto size = file.stamp().size;
  if (!has_signature(file, size)) throw_other_kind(file, size);
  return open_for_reading(name);
}

}  // namespace brim::storage::hdf5
