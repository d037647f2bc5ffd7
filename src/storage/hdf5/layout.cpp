#include "storage/hdf5/layout.h"

#include <fmt/format.h>

#include <limits>

#include "brim/error.h"
#include "storage/hdf5/copy_attributes.h"
#include "storage/hdf5/dataset.h"
#include "storage/hdf5/dimension_scales.h"
#include "storage/hdf5/file_driver.h"
#include "storage/partial_file.h"

namespace brim::storage::hdf5 {
namespace {

Handle open_anew(const File& partial, const std::string& existing) {
  if (existing.empty()) return start_file(partial.name());
  if (ftruncate(partial.descriptor(), 0) != 0) throw_system_error("empty", partial.name(), errno);
  open_hdf5_file(existing);  // says what it is when it is not HDF5
  copy_file(File::open(existing, File::Access::kRead), partial);
  return open_for_writing(partial.name());
}

H5I_type_t kind_of(hid_t file, const std::string& path) {
  const QuietErrors quiet;
  const Handle object(H5Oopen(file, path.c_str(), H5P_DEFAULT), H5Oclose);
  if (object && file_of(object.id()) != file_of(file)) return H5I_FILE;
  return object ? H5Iget_type(object.id()) : H5I_BADID;
}

/// Everything on the way must be a group or not exist; a data set of the name itself makes room for the new one.
void clear_the_way(hid_t file, const DatasetAddress& address) {
  const auto action = fmt::format("make {}", to_string(address));
  for (auto slash = address.path.find('/', 1);; slash = address.path.find('/', slash + 1)) {
    const auto part = address.path.substr(0, slash);
    if (call(action, H5Lexists, file, part.c_str(), H5P_DEFAULT) == 0) return;
    const auto kind = kind_of(file, part);
    const bool last = slash == std::string::npos;
    if (last && kind == H5I_GROUP)
      throw StorageError(fmt::format("cannot write {}: there is a group of that name", to_string(address)),
                         "name another data set, or one inside the group");
    if (!last && kind == H5I_FILE)
      throw StorageError(fmt::format("cannot write {}: {} is a link into another file", to_string(address), part),
                         "name the other file itself");
    if (!last && kind != H5I_GROUP)
      throw StorageError(fmt::format("cannot write {}: {} is a data set, not a group", to_string(address), part),
                         "name another data set");
    if (!last) continue;
    call(action, H5Ldelete, file, part.c_str(), H5P_DEFAULT);
    return;
  }
}

void set_chunks(hid_t creation, const OutputDataset& dataset, const std::string& action) {
  const auto& chunk = dataset.grid.chunk_shape();
  constexpr std::int64_t kMost = std::numeric_limits<std::uint32_t>::max();
  if (element_count(chunk) * item_size(dataset.dtype) > kMost)
    throw StorageError(
        fmt::format("chunks {} of {} take {}; HDF5 has room for 4 GiB a chunk", brim::to_string(chunk),
                    to_string(dataset.address), to_string(Bytes(element_count(chunk) * item_size(dataset.dtype)))),
        "name smaller chunks");
  const std::vector<hsize_t> extents(chunk.begin(), chunk.end());
  call(action, H5Pset_chunk, creation, static_cast<int>(extents.size()), extents.data());
  if (!is_compressed(dataset)) return;
  call(action, H5Pset_shuffle, creation);
  call(action, H5Pset_deflate, creation, static_cast<unsigned>(dataset.deflate_level));
}

/// Without the time of their making, so that equal runs make equal files.
void make_groups(hid_t file, const DatasetAddress& address) {
  const auto action = "make a group for " + to_string(address);
  const Handle creation = open(action, H5Pclose, H5Pcreate, H5P_GROUP_CREATE);
  call(action, H5Pset_obj_track_times, creation.id(), hbool_t{false});
  for (auto slash = address.path.find('/', 1); slash != std::string::npos; slash = address.path.find('/', slash + 1)) {
    const auto group = address.path.substr(0, slash);
    if (call(action, H5Lexists, file, group.c_str(), H5P_DEFAULT) > 0) continue;
    open(action, H5Gclose, H5Gcreate2, file, group.c_str(), H5P_DEFAULT, creation.id(), H5P_DEFAULT);
  }
}

Handle make_dataset(hid_t file, const OutputDataset& dataset, Room room) {
  const auto action = "make " + to_string(dataset.address);
  const auto& shape = dataset.grid.shape();
  const std::vector<hsize_t> extents(shape.begin(), shape.end());
  const Handle space = shape.empty() ? open(action, H5Sclose, H5Screate, H5S_SCALAR)
                                     : open(action, H5Sclose, H5Screate_simple, static_cast<int>(extents.size()),
                                            extents.data(), static_cast<const hsize_t*>(nullptr));
  const Handle type = file_type(dataset.dtype);
  const Handle creation = open(action, H5Pclose, H5Pcreate, H5P_DATASET_CREATE);
  call(action, H5Pset_obj_track_times, creation.id(), hbool_t{false});
  call(action, H5Pset_fill_time, creation.id(), H5D_FILL_TIME_NEVER);
  const bool ahead = room == Room::kAhead || is_contiguous(dataset);
  call(action, H5Pset_alloc_time, creation.id(), ahead ? H5D_ALLOC_TIME_EARLY : H5D_ALLOC_TIME_INCR);
  if (!is_contiguous(dataset)) set_chunks(creation.id(), dataset, action);
  return open(action, H5Dclose, H5Dcreate2, file, dataset.address.path.c_str(), type.id(), space.id(), H5P_DEFAULT,
              creation.id(), H5P_DEFAULT);
}

}  // namespace

bool is_contiguous(const OutputDataset& dataset) { return dataset.grid.rank() == 0; }

bool is_compressed(const OutputDataset& dataset) { return dataset.deflate_level > 0 && !is_contiguous(dataset); }

void lay_out(const File& partial, const std::string& existing, const std::vector<OutputDataset>& datasets, Room room) {
  Handle file = open_anew(partial, existing);
  for (const auto& dataset : datasets) clear_the_way(file.id(), dataset.address);
  for (const auto& dataset : datasets) {
    clear_the_way(file.id(), dataset.address);  // another output may be where this one needs a group
    make_groups(file.id(), dataset.address);
    make_dataset(file.id(), dataset, room);
    if (dataset.attributes_from) copy_attributes(file.id(), dataset);
  }
  for (const auto& dataset : datasets) {
    // Scales name the axes; labels do where there are none.
    const bool attached = dataset.attributes_from && attach_scales(file.id(), dataset);
    if (!attached) set_dimension_names(file.id(), dataset);
  }
  close_written(std::move(file), partial.name());
}

}  // namespace brim::storage::hdf5
