#pragma once

#include <optional>
#include <string>
#include <vector>

#include "brim/dataset.h"
#include "storage/hdf5/call.h"
#include "storage/hdf5/datatype.h"

namespace brim::storage::hdf5 {

/// One filter of a chunk's pipeline.
struct Filter {
  H5Z_filter_t id = 0;
  std::string name;      ///< for people: "shuffle", "deflate 4"
  int element_size = 1;  ///< of shuffle
};

/// How brim gets at the elements.
enum class Route {
  kContiguous,  ///< one stretch of the file
  kChunks,      ///< chunks found by brim, filters undone by brim
  kLibrary,     ///< everything else: H5Dread
};

/// An open data set and what its metadata says.
struct StoredDataset {
  Handle handle;
  std::string file;  ///< the one that it lies in
  Shape shape;
  std::optional<ElementType> element;  ///< nothing: brim cannot compute with such elements
  std::string type_name;
  H5D_layout_t layout = H5D_CONTIGUOUS;
  std::optional<Shape> chunk_shape;
  std::vector<Filter> filters;
  bool edges_unfiltered = false;  ///< chunks that reach over the shape's edge are stored without filters
  Route route = Route::kLibrary;
};

/// Opens the file, after a look at what kind of file it is. Throws StorageError: not found, no permission, not HDF5
/// (and what it looks like), truncated.
Handle open_hdf5_file(const std::string& file);
/// Opens a data set. Throws StorageError: no such name (with near ones), a group, more axes than brim computes with.
StoredDataset open_dataset(hid_t file, const DatasetAddress& address);
/// Likewise for an object that is known to be a data set.
StoredDataset describe_dataset(Handle handle, const DatasetAddress& address);

/// The name of the file that an object lies in, which an external link may have led to.
std::string file_of(hid_t object);

/// Names of what a group holds, in name order.
std::vector<std::string> member_names(hid_t group);

/// One element with the value of a place that was never written, as it would lie in the file.
std::vector<std::byte> fill_element(const StoredDataset& dataset);

/// Open data set with a chunk cache of that size.
Handle reopen_with_cache(hid_t file, const DatasetAddress& address, std::int64_t cache_bytes);

}  // namespace brim::storage::hdf5
