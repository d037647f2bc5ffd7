#include "storage/hdf5/list.h"

#include <fmt/format.h>

#include <set>

#include "storage/hdf5/attributes.h"

namespace brim::storage::hdf5 {
namespace {

std::string layout_name(H5D_layout_t layout) {
  switch (layout) {
    case H5D_COMPACT:
      return "compact";
    case H5D_CHUNKED:
      return "chunked";
    case H5D_VIRTUAL:
      return "virtual";
    default:
      return "contiguous";
  }
}

/// HDF5 1.10 and its successors have different names for the type.
template <typename Info>
Info object_info(herr_t (*function)(hid_t, Info*), hid_t object) {
  Info info{};
  call("look at a group", function, object, &info);
  return info;
}

class Walk {
 public:
  explicit Walk(const std::string& file) : file_(file) {}

  void group(hid_t group, const std::string& path) {
    if (!first_visit(group)) return;
    for (const auto& name : member_names(group)) {
      const QuietErrors quiet;
      // Links that lead nowhere are no data sets.
      Handle object(H5Oopen(group, name.c_str(), H5P_DEFAULT), H5Oclose);
      if (!object) continue;
      const auto kind = H5Iget_type(object.id());
      const auto member = path + "/" + name;
      if (kind == H5I_GROUP) this->group(object.id(), member);
      if (kind == H5I_DATASET) dataset(std::move(object), {file_, member});
    }
  }
  std::vector<DatasetInfo> take() { return std::move(found_); }

 private:
  /// Links may lead back to groups above.
  bool first_visit(hid_t group) {
    const auto info = object_info(H5Oget_info1, group);
    return seen_.insert({info.fileno, info.addr}).second;
  }

  void dataset(Handle handle, const DatasetAddress& address) {
    const auto dataset = describe_dataset(std::move(handle), address);
    Decoding decoding;
    if (dataset.element) decoding = choose_decoding(dataset.element->type, packing_attributes(dataset.handle.id()));
    found_.push_back(describe(dataset, address, decoding));
  }

  std::string file_;
  std::set<std::pair<unsigned long, haddr_t>> seen_;
  std::vector<DatasetInfo> found_;
};

/// HDF5 answers 0 when it fails.
Bytes stored_size(const StoredDataset& dataset, const DatasetAddress& address) {
  const QuietErrors quiet;
  const auto size = H5Dget_storage_size(dataset.handle.id());
  if (size == 0 && H5Eget_num(H5E_DEFAULT) > 0)
    throw_hdf5_error(fmt::format("read the chunk index of {}", to_string(address)));
  return Bytes(static_cast<std::int64_t>(size));
}

}  // namespace

DatasetInfo describe(const StoredDataset& dataset, const DatasetAddress& address, const Decoding& decoding) {
  DatasetInfo info;
  info.address = address;
  info.shape = dataset.shape;
  if (dataset.element) info.dtype = decoded_dtype(dataset.element->type, decoding);
  info.stored_dtype = dataset.type_name;
  info.chunk_shape = dataset.chunk_shape;
  info.layout = layout_name(dataset.layout);
  for (const auto& filter : dataset.filters) info.filters.push_back(filter.name);
  info.stored_size = stored_size(dataset, address);
  info.decoded = decoding.active;
  info.dimension_names = dimension_names(dataset.handle.id(), dataset.shape.size());
  return info;
}

std::vector<DatasetInfo> list_file(const std::string& name) {
  const Handle file = open_hdf5_file(name);
  const Handle root = open("open the root group of " + name, H5Gclose, H5Gopen2, file.id(), "/", H5P_DEFAULT);
  Walk walk(name);
  walk.group(root.id(), "");
  return walk.take();
}

}  // namespace brim::storage::hdf5
