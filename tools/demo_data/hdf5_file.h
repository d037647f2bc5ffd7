#pragma once

#include <hdf5.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

/// The little that the demo's two programs need of HDF5: identifiers that close themselves, and float data sets.
namespace demo {

/// An HDF5 identifier, closed at the end of its scope. Throws std::runtime_error with `what` when the call that made it
/// failed.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t), const std::string& what) : id_(id), close_(close) {
    if (id < 0) throw std::runtime_error(what);
  }
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&&) = delete;
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  operator hid_t() const { return id_; }  // NOLINT(google-explicit-constructor): stands in for the raw identifier

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

inline Handle open_file(const std::string& file) {
  return {H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose, "cannot open " + file + " as HDF5"};
}

inline Handle open_dataset(hid_t file, const std::string& name) {
  return {H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose, "no data set " + name};
}

inline std::vector<hsize_t> dataset_shape(hid_t dataset) {
  const Handle space(H5Dget_space(dataset), H5Sclose, "cannot read a data set's shape");
  std::vector<hsize_t> shape(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
  H5Sget_simple_extent_dims(space, shape.data(), nullptr);
  return shape;
}

inline std::uint64_t element_count(const std::vector<hsize_t>& shape) {
  std::uint64_t count = 1;
  for (const auto extent : shape) count *= extent;
  return count;
}

}  // namespace demo
