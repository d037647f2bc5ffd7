#include "worker/warm_up.h"

#include <hdf5.h>

#include <array>
#include <vector>

#include "core/check.h"

namespace brim::worker {
namespace {

constexpr hsize_t kExtent = 8192;

/// A data set with compressed chunks in a file that is only in memory, written and read.
void use_file(hid_t file) {
  const std::array<hsize_t, 1> shape{kExtent};
  const hid_t space = H5Screate_simple(1, shape.data(), nullptr);
  const hid_t layout = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(layout, 1, shape.data());
  H5Pset_shuffle(layout);
  H5Pset_deflate(layout, 1);
  const hid_t dataset = H5Dcreate2(file, "warm", H5T_NATIVE_FLOAT, space, H5P_DEFAULT, layout, H5P_DEFAULT);
  std::vector<float> values(kExtent, 1.0F);
  const bool written = H5Dwrite(dataset, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >= 0;
  const bool read = H5Dread(dataset, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >= 0;
  H5Dclose(dataset);
  H5Pclose(layout);
  H5Sclose(space);
  check(written && read, "the HDF5 library cannot write and read in memory");
}

}  // namespace

void warm_up() {
  constexpr std::size_t kIncrement = 64 << 10;
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_fapl_core(access, kIncrement, false);
  const hid_t file = H5Fcreate("brim-warm-up", H5F_ACC_TRUNC, H5P_DEFAULT, access);
  check(file >= 0, "the HDF5 library cannot make a file in memory");
  use_file(file);
  H5Fclose(file);
  H5Pclose(access);
}

}  // namespace brim::worker
