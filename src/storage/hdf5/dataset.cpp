#include "storage/hdf5/dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "brim/error.h"
#include "core/near_names.h"
#include "storage/hdf5/file_driver.h"

namespace brim::storage::hdf5 {
namespace {

Filter read_filter(hid_t creation, unsigned index) {
  constexpr std::size_t kMostValues = 32;
  std::array<unsigned, kMostValues> values{};
  std::array<char, 256> name{};
  std::size_t count = values.size();
  unsigned flags = 0;
  unsigned config = 0;
  Filter filter;
  filter.id = call("read a filter", H5Pget_filter2, creation, index, &flags, &count, values.data(), name.size() - 1,
                   name.data(), &config);
  filter.name = fmt::format("filter {}", filter.id);
  if (name[0] != '\0') filter.name += fmt::format(" ({})", name.data());
  if (filter.id == H5Z_FILTER_DEFLATE) filter.name = fmt::format("deflate {}", count > 0 ? values[0] : 6);
  if (filter.id == H5Z_FILTER_SHUFFLE) filter.name = "shuffle";
  if (filter.id == H5Z_FILTER_FLETCHER32) filter.name = "fletcher32";
  if (filter.id == H5Z_FILTER_SZIP) filter.name = "szip";
  if (filter.id == H5Z_FILTER_NBIT) filter.name = "nbit";
  if (filter.id == H5Z_FILTER_SCALEOFFSET) filter.name = "scaleoffset";
  if (filter.id == H5Z_FILTER_SHUFFLE && count > 0 && values[0] > 0) filter.element_size = static_cast<int>(values[0]);
  return filter;
}

bool undone_by_brim(const Filter& filter) {
  return filter.id == H5Z_FILTER_DEFLATE || filter.id == H5Z_FILTER_SHUFFLE || filter.id == H5Z_FILTER_FLETCHER32;
}

Route choose_route(const StoredDataset& dataset, hid_t creation) {
  if (!dataset.element || !dataset.element->plain) return Route::kLibrary;
  if (dataset.layout == H5D_CONTIGUOUS)
    return call("read a data set's layout", H5Pget_external_count, creation) == 0 ? Route::kContiguous
                                                                                  : Route::kLibrary;
  const bool known_filters = std::all_of(dataset.filters.begin(), dataset.filters.end(), undone_by_brim);
  return dataset.layout == H5D_CHUNKED && known_filters ? Route::kChunks : Route::kLibrary;
}

void read_layout(StoredDataset& dataset, hid_t creation, const std::string& action) {
  dataset.layout = call(action, H5Pget_layout, creation);
  if (dataset.layout == H5D_CHUNKED) {
    std::vector<hsize_t> chunk(dataset.shape.size());
    call(action, H5Pget_chunk, creation, static_cast<int>(chunk.size()), chunk.data());
    dataset.chunk_shape.emplace(chunk.begin(), chunk.end());
    unsigned options = 0;
    call(action, H5Pget_chunk_opts, creation, &options);
    dataset.edges_unfiltered = (options & H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS) != 0;
  }
  const int filters = call(action, H5Pget_nfilters, creation);
  for (int i = 0; i < filters; ++i) dataset.filters.push_back(read_filter(creation, static_cast<unsigned>(i)));
}

/// Walks the path from the root; throws at the first part that is not there.
void require_path(hid_t file, const DatasetAddress& address) {
  for (std::size_t end = address.path.find('/', 1);; end = address.path.find('/', end + 1)) {
    const auto part = address.path.substr(0, end);
    if (part.size() > 1 && part.back() != '/') {
      const auto action = fmt::format("look for {} in {}", part, address.file);
      const QuietErrors quiet;
      if (H5Lexists(file, part.c_str(), H5P_DEFAULT) <= 0 || H5Oexists_by_name(file, part.c_str(), H5P_DEFAULT) <= 0) {
        const auto slash = part.rfind('/');
        const auto parent = slash == 0 ? "/" : part.substr(0, slash);
        const Handle group(H5Gopen2(file, parent.c_str(), H5P_DEFAULT), H5Gclose);
        if (!group)
          throw StorageError(
              fmt::format("{} holds no {}: {} is a data set, not a group", address.file, address.path, parent));
        throw StorageError(fmt::format("{} holds no {}", address.file, part),
                           did_you_mean(part.substr(slash + 1), member_names(group.id())));
      }
    }
    if (end == std::string::npos) return;
  }
}

}  // namespace

std::string file_of(hid_t object) {
  const std::string action = "read a file's name";
  const auto size = call(action, H5Fget_name, object, static_cast<char*>(nullptr), size_t{0});
  std::string name(static_cast<std::size_t>(size), '\0');
  call(action, H5Fget_name, object, name.data(), name.size() + 1);
  return name;
}

std::vector<std::string> member_names(hid_t group) {
  const std::string action = "list a group";
  H5G_info_t info{};
  call(action, H5Gget_info, group, &info);
  std::vector<std::string> names;
  for (hsize_t i = 0; i < info.nlinks; ++i) {
    const auto size = call(action, H5Lget_name_by_idx, group, ".", H5_INDEX_NAME, H5_ITER_INC, i,
                           static_cast<char*>(nullptr), size_t{0}, H5P_DEFAULT);
    std::string name(static_cast<std::size_t>(size), '\0');
    call(action, H5Lget_name_by_idx, group, ".", H5_INDEX_NAME, H5_ITER_INC, i, name.data(), name.size() + 1,
         H5P_DEFAULT);
    names.push_back(std::move(name));
  }
  return names;
}

StoredDataset describe_dataset(Handle handle, const DatasetAddress& address) {
  const auto action = "read the description of " + to_string(address);
  StoredDataset dataset;
  dataset.handle = std::move(handle);
  const hid_t id = dataset.handle.id();
  dataset.file = file_of(id);
  const Handle space = open(action, H5Sclose, H5Dget_space, id);
  const Handle type = open(action, H5Tclose, H5Dget_type, id);
  const Handle creation = open(action, H5Pclose, H5Dget_create_plist, id);
  std::vector<hsize_t> extents(static_cast<std::size_t>(call(action, H5Sget_simple_extent_ndims, space.id())));
  if (!extents.empty())
    call(action, H5Sget_simple_extent_dims, space.id(), extents.data(), static_cast<hsize_t*>(nullptr));
  dataset.shape.assign(extents.begin(), extents.end());
  if (call(action, H5Sget_simple_extent_type, space.id()) == H5S_NULL) {
    dataset.type_name = "nothing (a null data space)";
    return dataset;
  }
  dataset.element = find_element_type(type.id());
  dataset.type_name = dataset.element ? storage::to_string(dataset.element->type) : describe_type(type.id());
  read_layout(dataset, creation.id(), action);
  dataset.route = choose_route(dataset, creation.id());
  return dataset;
}

StoredDataset open_dataset(hid_t file, const DatasetAddress& address) {
  require_path(file, address);
  const auto action = "open " + to_string(address);
  Handle object = open(action, H5Oclose, H5Oopen, file, address.path.c_str(), H5P_DEFAULT);
  const auto kind = H5Iget_type(object.id());
  if (kind == H5I_GROUP) {
    const auto names = member_names(object.id());
    throw StorageError(fmt::format("{} is a group, not a data set", to_string(address)),
                       names.empty() ? "it is empty" : "name a data set inside; " + did_you_mean("", names));
  }
  if (kind != H5I_DATASET) throw StorageError(fmt::format("{} is a data type, not a data set", to_string(address)));
  return describe_dataset(std::move(object), address);
}

Handle reopen_with_cache(hid_t file, const DatasetAddress& address, std::int64_t cache_bytes) {
  constexpr std::size_t kSlots = 101;
  const auto action = "open " + to_string(address);
  const Handle access = open(action, H5Pclose, H5Pcreate, H5P_DATASET_ACCESS);
  call(action, H5Pset_chunk_cache, access.id(), kSlots, static_cast<std::size_t>(cache_bytes), 1.0);
  return open(action, H5Dclose, H5Dopen2, file, address.path.c_str(), access.id());
}

std::vector<std::byte> fill_element(const StoredDataset& dataset) {
  const std::string action = "read a fill value";
  std::vector<std::byte> element(static_cast<std::size_t>(dataset.element->type.size));
  const Handle creation = open(action, H5Pclose, H5Dget_create_plist, dataset.handle.id());
  H5D_fill_value_t defined = H5D_FILL_VALUE_UNDEFINED;
  call(action, H5Pfill_value_defined, creation.id(), &defined);
  if (defined != H5D_FILL_VALUE_USER_DEFINED) return element;
  const Handle type = open(action, H5Tclose, H5Dget_type, dataset.handle.id());
  call(action, H5Pget_fill_value, creation.id(), type.id(), static_cast<void*>(element.data()));
  return element;
}

}  // namespace brim::storage::hdf5
