#include "storage/hdf5/copy_attributes.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "storage/hdf5/attributes.h"
#include "storage/hdf5/dataset.h"

namespace brim::storage::hdf5 {
namespace {

/// What belongs to the source's own file: dimension scales and netCDF's bookkeeping.
constexpr std::array<const char*, 10> kOfTheFile = {
    "DIMENSION_LIST", "REFERENCE_LIST",      "DIMENSION_LABELS", "CLASS",       "NAME",
    "_Netcdf4Dimid",  "_Netcdf4Coordinates", "_NCProperties",    "_nc3_strict", "_NCCOPIED_FROM_"};

bool is_left_out(const std::string& name) {
  return is_packing_attribute(name) ||
         std::any_of(kOfTheFile.begin(), kOfTheFile.end(), [&](const char* known) { return name == known; });
}

void copy_attribute(hid_t from, hid_t to, const std::string& name) {
  const auto action = "copy attribute " + name;
  const Handle attribute = open(action, H5Aclose, H5Aopen, from, name.c_str(), H5P_DEFAULT);
  const Handle stored = open(action, H5Tclose, H5Aget_type, attribute.id());
  if (call(action, H5Tdetect_class, stored.id(), H5T_REFERENCE) > 0) return;
  const Handle type =
      open(action, H5Tclose, H5Tcopy, stored.id());  // a named type of the other file becomes a plain one
  const Handle space = open(action, H5Sclose, H5Aget_space, attribute.id());
  const Handle made =
      open(action, H5Aclose, H5Acreate2, to, name.c_str(), type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT);
  const auto count = std::max<hssize_t>(0, H5Sget_simple_extent_npoints(space.id()));
  if (count == 0 || H5Sget_simple_extent_type(space.id()) == H5S_NULL) return;
  std::vector<std::byte> value(static_cast<std::size_t>(count) * H5Tget_size(type.id()));
  call(action, H5Aread, attribute.id(), type.id(), static_cast<void*>(value.data()));
  call(action, H5Awrite, made.id(), type.id(), static_cast<const void*>(value.data()));
  H5Dvlen_reclaim(type.id(), space.id(), H5P_DEFAULT, static_cast<void*>(value.data()));
}

std::string attribute_name(hid_t object, hsize_t index) {
  const std::string action = "list attributes";
  const auto size = call(action, H5Aget_name_by_idx, object, ".", H5_INDEX_NAME, H5_ITER_INC, index,
                         static_cast<char*>(nullptr), size_t{0}, H5P_DEFAULT);
  std::string name(static_cast<std::size_t>(size), '\0');
  call(action, H5Aget_name_by_idx, object, ".", H5_INDEX_NAME, H5_ITER_INC, index, name.data(), name.size() + 1,
       H5P_DEFAULT);
  return name;
}

void copy_all(hid_t from, hid_t to) {
  const std::string action = "list attributes";
  // Names first: H5Aiterate would have to carry exceptions through C.
  const auto count = call(action, H5Aget_num_attrs, from);
  for (int i = 0; i < count; ++i) {
    const auto name = attribute_name(from, static_cast<hsize_t>(i));
    if (!is_left_out(name) && call(action, H5Aexists, to, name.c_str()) == 0) copy_attribute(from, to, name);
  }
}

/// "/a/b/c" gives "/", "/a", "/a/b".
std::vector<std::string> groups_above(const std::string& path) {
  std::vector<std::string> groups = {"/"};
  for (auto slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1))
    groups.push_back(path.substr(0, slash));
  return groups;
}

}  // namespace

void copy_attributes(hid_t file, const OutputDataset& dataset) {
  const auto& source = *dataset.attributes_from;
  const auto action = "copy the attributes of " + to_string(source);
  const Handle from = open_hdf5_file(source.file);
  const auto from_groups = groups_above(source.path);
  const auto to_groups = groups_above(dataset.address.path);
  for (std::size_t i = 0; i < std::min(from_groups.size(), to_groups.size()); ++i) {
    const Handle from_group = open(action, H5Gclose, H5Gopen2, from.id(), from_groups[i].c_str(), H5P_DEFAULT);
    const Handle to_group = open(action, H5Gclose, H5Gopen2, file, to_groups[i].c_str(), H5P_DEFAULT);
    copy_all(from_group.id(), to_group.id());
  }
  const Handle from_data = open(action, H5Dclose, H5Dopen2, from.id(), source.path.c_str(), H5P_DEFAULT);
  const Handle to_data = open(action, H5Dclose, H5Dopen2, file, dataset.address.path.c_str(), H5P_DEFAULT);
  copy_all(from_data.id(), to_data.id());
}

void set_dimension_names(hid_t file, const OutputDataset& dataset) {
  const auto& names = dataset.dimension_names;
  if (names.empty()) return;
  const auto action = "name the axes of " + to_string(dataset.address);
  const Handle data = open(action, H5Dclose, H5Dopen2, file, dataset.address.path.c_str(), H5P_DEFAULT);
  const Handle type = open(action, H5Tclose, H5Tcopy, H5T_C_S1);
  call(action, H5Tset_size, type.id(), H5T_VARIABLE);
  const hsize_t count = names.size();
  const Handle space = open(action, H5Sclose, H5Screate_simple, 1, &count, static_cast<const hsize_t*>(nullptr));
  const Handle labels = open(action, H5Aclose, H5Acreate2, data.id(), "DIMENSION_LABELS", type.id(), space.id(),
                             H5P_DEFAULT, H5P_DEFAULT);
  std::vector<const char*> pointers;
  for (const auto& name : names) pointers.push_back(name.c_str());
  call(action, H5Awrite, labels.id(), type.id(), static_cast<const void*>(pointers.data()));
}

}  // namespace brim::storage::hdf5
