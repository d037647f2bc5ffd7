#include "storage/hdf5/dimension_scales.h"

#include <algorithm>
#include <array>

#include "storage/hdf5/attributes.h"
#include "storage/hdf5/dataset.h"

namespace brim::storage::hdf5 {
namespace {

/// One entry of a scale's REFERENCE_LIST: a data set, and which of its axes.
struct Attachment {
  hobj_ref_t dataset;
  int axis;
};

Handle attachment_type() {
  const std::string action = "describe a dimension scale";
  Handle type = open(action, H5Tclose, H5Tcreate, H5T_COMPOUND, sizeof(Attachment));
  call(action, H5Tinsert, type.id(), "dataset", HOFFSET(Attachment, dataset), H5T_STD_REF_OBJ);
  call(action, H5Tinsert, type.id(), "dimension", HOFFSET(Attachment, axis), H5T_NATIVE_INT);
  return type;
}

bool is_scale_of(hid_t file, const std::string& path, std::int64_t extent) {
  const QuietErrors quiet;
  const Handle object(H5Oopen(file, path.c_str(), H5P_DEFAULT), H5Oclose);
  if (!object || H5Iget_type(object.id()) != H5I_DATASET) return false;
  const auto kind = find_strings(object.id(), "CLASS");
  const auto scale = describe_dataset(Handle(H5Dopen2(file, path.c_str(), H5P_DEFAULT), H5Dclose), {"", path});
  const Handle type(H5Dget_type(scale.handle.id()), H5Tclose);
  return kind && kind->size() == 1 && kind->front() == "DIMENSION_SCALE" && scale.shape == Shape{extent} &&
         extent * static_cast<std::int64_t>(H5Tget_size(type.id())) <= kMostScaleBytes;
}

std::string in_group_of(const std::string& dataset, const std::string& scale) {
  return dataset.substr(0, dataset.rfind('/') + 1) + scale.substr(scale.rfind('/') + 1);
}

/// The copy knows nothing of the file that it comes from.
void forget_old_file(hid_t file, const std::string& path) {
  const std::string action = "copy dimension scale " + path;
  const Handle scale = open(action, H5Dclose, H5Dopen2, file, path.c_str(), H5P_DEFAULT);
  for (const char* name : {"REFERENCE_LIST", "_Netcdf4Dimid", "_Netcdf4Coordinates"})
    if (call(action, H5Aexists, scale.id(), name) > 0) call(action, H5Adelete, scale.id(), name);
}

/// False for data sets that were deleted since.
bool is_alive(hid_t file, const Attachment& attachment) {
  const QuietErrors quiet;
  const Handle object(H5Rdereference2(file, H5P_DEFAULT, H5R_OBJECT, &attachment.dataset), H5Oclose);
  return object && H5Iget_type(object.id()) == H5I_DATASET;
}

std::vector<Attachment> attachments(hid_t scale, hid_t type) {
  const std::string action = "read a dimension scale";
  std::vector<Attachment> list;
  if (call(action, H5Aexists, scale, "REFERENCE_LIST") == 0) return list;
  const Handle attribute = open(action, H5Aclose, H5Aopen, scale, "REFERENCE_LIST", H5P_DEFAULT);
  const Handle space = open(action, H5Sclose, H5Aget_space, attribute.id());
  list.resize(static_cast<std::size_t>(call(action, H5Sget_simple_extent_npoints, space.id())));
  call(action, H5Aread, attribute.id(), type, static_cast<void*>(list.data()));
  return list;
}

void add_attachment(hid_t file, const std::string& scale_path, const Attachment& added) {
  const std::string action = "attach dimension scale " + scale_path;
  const Handle scale = open(action, H5Dclose, H5Dopen2, file, scale_path.c_str(), H5P_DEFAULT);
  const Handle type = attachment_type();
  auto list = attachments(scale.id(), type.id());
  std::erase_if(list, [&](const Attachment& known) {
    return (known.dataset == added.dataset && known.axis == added.axis) || !is_alive(file, known);
  });
  list.push_back(added);
  if (call(action, H5Aexists, scale.id(), "REFERENCE_LIST") > 0) call(action, H5Adelete, scale.id(), "REFERENCE_LIST");
  const hsize_t count = list.size();
  const Handle space = open(action, H5Sclose, H5Screate_simple, 1, &count, static_cast<const hsize_t*>(nullptr));
  const Handle attribute =
      open(action, H5Aclose, H5Acreate2, scale.id(), "REFERENCE_LIST", type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT);
  call(action, H5Awrite, attribute.id(), type.id(), static_cast<const void*>(list.data()));
}

/// One scale for every axis.
void attach(hid_t file, const std::string& dataset_path, const std::vector<std::string>& scales) {
  const std::string action = "attach dimension scales to " + dataset_path;
  const Handle dataset = open(action, H5Dclose, H5Dopen2, file, dataset_path.c_str(), H5P_DEFAULT);
  std::vector<hobj_ref_t> references(scales.size());
  std::vector<hvl_t> lists;
  for (std::size_t axis = 0; axis < scales.size(); ++axis) {
    call(action, H5Rcreate, static_cast<void*>(&references[axis]), file, scales[axis].c_str(), H5R_OBJECT, hid_t{-1});
    lists.push_back({1, &references[axis]});
  }
  const Handle type = open(action, H5Tclose, H5Tvlen_create, H5T_STD_REF_OBJ);
  const hsize_t count = lists.size();
  const Handle space = open(action, H5Sclose, H5Screate_simple, 1, &count, static_cast<const hsize_t*>(nullptr));
  const Handle attribute = open(action, H5Aclose, H5Acreate2, dataset.id(), "DIMENSION_LIST", type.id(), space.id(),
                                H5P_DEFAULT, H5P_DEFAULT);
  call(action, H5Awrite, attribute.id(), type.id(), static_cast<const void*>(lists.data()));
  Attachment added{};
  call(action, H5Rcreate, static_cast<void*>(&added.dataset), file, dataset_path.c_str(), H5R_OBJECT, hid_t{-1});
  for (std::size_t axis = 0; axis < scales.size(); ++axis) {
    added.axis = static_cast<int>(axis);
    add_attachment(file, scales[axis], added);
  }
}

}  // namespace

bool attach_scales(hid_t file, const OutputDataset& dataset) {
  const auto& source = *dataset.attributes_from;
  const auto action = "copy the dimension scales of " + to_string(source);
  const auto& shape = dataset.grid.shape();
  const Handle from = open_hdf5_file(source.file);
  const Handle from_data = open(action, H5Dclose, H5Dopen2, from.id(), source.path.c_str(), H5P_DEFAULT);
  const auto source_scales = scale_paths(from_data.id(), shape.size());
  std::vector<std::string> scales;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const auto& path = source_scales[axis];
    if (path.empty() || !is_scale_of(from.id(), path, shape[axis])) return false;
    scales.push_back(in_group_of(dataset.address.path, path));
    const bool taken = call(action, H5Lexists, file, scales.back().c_str(), H5P_DEFAULT) > 0;
    if (taken && !is_scale_of(file, scales.back(), shape[axis])) return false;
  }
  for (std::size_t axis = 0; axis < scales.size(); ++axis) {
    if (call(action, H5Lexists, file, scales[axis].c_str(), H5P_DEFAULT) > 0) continue;
    call(action, H5Ocopy, from.id(), source_scales[axis].c_str(), file, scales[axis].c_str(), H5P_DEFAULT, H5P_DEFAULT);
    forget_old_file(file, scales[axis]);
  }
  if (!scales.empty()) attach(file, dataset.address.path, scales);
  return !scales.empty();
}

}  // namespace brim::storage::hdf5
