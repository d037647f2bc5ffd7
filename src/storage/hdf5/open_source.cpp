#include <fmt/format.h>

#include "brim/error.h"
#include "storage/hdf5/attributes.h"
#include "storage/hdf5/list.h"
#include "storage/hdf5/reader.h"

namespace brim::storage::hdf5 {
namespace {

void require_filters(const StoredDataset& dataset, const DatasetAddress& address) {
  for (const auto& filter : dataset.filters) {
    const QuietErrors quiet;
    if (H5Zfilter_avail(filter.id) > 0) continue;
    throw StorageError(
        fmt::format("{} is compressed with {}, which this HDF5 does not have", to_string(address), filter.name),
        "install its plugin and name the plugin's folder in HDF5_PLUGIN_PATH, or repack the file: "
        "h5repack -f GZIP=1");
  }
}

}  // namespace

Source open_source(const DatasetAddress& address, const OpenOptions& options) {
  const auto stamp = File::open(address.file, File::Access::kRead).stamp();
  const Handle file = open_hdf5_file(address.file);
  const auto dataset = open_dataset(file.id(), address);
  if (!dataset.element)
    throw StorageError(
        fmt::format("{} holds {}, which brim does not compute with", to_string(address), dataset.type_name),
        "it computes with bool, integers of 8 to 64 bits, float16, float32 and float64");
  if (dataset.shape.size() > static_cast<std::size_t>(kMaxRank))
    throw StorageError(
        fmt::format("{} has {} axes; brim computes with up to {}", to_string(address), dataset.shape.size(), kMaxRank));
  require_filters(dataset, address);
  Source source;
  if (options.decode) source.decoding = choose_decoding(dataset.element->type, packing_attributes(dataset.handle.id()));
  source.info = describe(dataset, address, source.decoding);
  source.stamp = stamp;
  source.through_library = dataset.route == Route::kLibrary;
  return source;
}

}  // namespace brim::storage::hdf5
