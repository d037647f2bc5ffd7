#include "whole_run/dew_point_files.h"

#include <fcntl.h>
#include <hdf5.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <stdexcept>

namespace brim::bench {
namespace {

/// An HDF5 identifier that is closed; the benchmark stops at the first failure.
class Id {
 public:
  Id(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {
    if (id < 0) throw std::runtime_error("HDF5 refused a call of the benchmark");
  }
  ~Id() { close_(id_); }
  Id(const Id&) = delete;
  Id& operator=(const Id&) = delete;
  operator hid_t() const { return id_; }  // NOLINT(google-explicit-constructor): stands for the identifier in calls

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

void require(herr_t status) {
  if (status < 0) throw std::runtime_error("HDF5 refused a call of the benchmark");
}

std::array<hsize_t, 3> extents(std::int64_t planes) {
  return {static_cast<hsize_t>(planes), static_cast<hsize_t>(kRows), static_cast<hsize_t>(kColumns)};
}

void write_dataset(hid_t file, const char* name, Layout layout, std::int64_t planes, float low, float high) {
  const auto shape = extents(planes);
  const auto chunk = extents(kPlanesPerChunk);
  const Id space(H5Screate_simple(3, shape.data(), nullptr), H5Sclose);
  const Id properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  if (layout == Layout::kChunked) require(H5Pset_chunk(properties, 3, chunk.data()));
  const Id dataset(H5Dcreate2(file, name, H5T_NATIVE_FLOAT, space, H5P_DEFAULT, properties, H5P_DEFAULT), H5Dclose);
  const Id memory(H5Screate_simple(3, chunk.data(), nullptr), H5Sclose);
  std::vector<float> values(static_cast<std::size_t>(kChunkElements));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = low + (high - low) * static_cast<float>(i * 7919 % 10007) / 10007;
  for (hsize_t plane = 0; plane < shape[0]; plane += static_cast<hsize_t>(kPlanesPerChunk)) {
    const std::array<hsize_t, 3> start = {plane, 0, 0};
    require(H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, chunk.data(), nullptr));
    require(H5Dwrite(dataset, H5T_NATIVE_FLOAT, memory, space, H5P_DEFAULT, values.data()));
  }
}

}  // namespace

void write_input(const std::string& path, Layout layout, std::int64_t planes) {
  {
    const Id file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
    write_dataset(file, "t2", layout, planes, 230, 310);
    write_dataset(file, "rh", layout, planes, 5, 100);
  }
  // Written to disk now, so that nobody's time contains it.
  const int written = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  fsync(written);
  close(written);
  std::ifstream stream(path, std::ios::binary);
  std::vector<char> buffer(1 << 20);
  while (stream.read(buffer.data(), static_cast<std::streamsize>(buffer.size()))) {
  }
}

void lay_out_output(const std::string& path, std::int64_t planes) {
  const auto shape = extents(planes);
  const auto chunk = extents(kPlanesPerChunk);
  const Id file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
  const Id space(H5Screate_simple(3, shape.data(), nullptr), H5Sclose);
  const Id properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  require(H5Pset_chunk(properties, 3, chunk.data()));
  require(H5Pset_alloc_time(properties, H5D_ALLOC_TIME_EARLY));
  require(H5Pset_fill_time(properties, H5D_FILL_TIME_NEVER));
  const Id dataset(H5Dcreate2(file, "td", H5T_NATIVE_FLOAT, space, H5P_DEFAULT, properties, H5P_DEFAULT), H5Dclose);
}

std::vector<std::int64_t> chunk_offsets(const std::string& path, const std::string& name, std::int64_t planes) {
  const Id file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  const Id dataset(H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose);
  const Id properties(H5Dget_create_plist(dataset), H5Pclose);
  std::vector<std::int64_t> offsets;
  for (std::int64_t plane = 0; plane < planes; plane += kPlanesPerChunk) {
    if (H5Pget_layout(properties) == H5D_CONTIGUOUS) {
      const auto start = static_cast<std::int64_t>(H5Dget_offset(dataset));
      offsets.push_back(start + plane * kRows * kColumns * static_cast<std::int64_t>(sizeof(float)));
      continue;
    }
    const std::array<hsize_t, 3> at = {static_cast<hsize_t>(plane), 0, 0};
    haddr_t address = 0;
    hsize_t size = 0;
    unsigned mask = 0;
    require(H5Dget_chunk_info_by_coord(dataset, at.data(), &mask, &address, &size));
    offsets.push_back(static_cast<std::int64_t>(address));
  }
  return offsets;
}

std::vector<float> read_result(const std::string& path, std::int64_t planes) {
  const Id file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  const Id dataset(H5Dopen2(file, "td", H5P_DEFAULT), H5Dclose);
  std::vector<float> values(static_cast<std::size_t>(planes * kRows * kColumns));
  require(H5Dread(dataset, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()));
  return values;
}

}  // namespace brim::bench
