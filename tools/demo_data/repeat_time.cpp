// brim-repeat-time: writes a copy of a file's data sets repeated along their first axis, up to a size: real values in
// as many bytes as a trial needs. Holds one period in memory, whatever the size.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>

#include "brim/bytes.h"
#include "hdf5_file.h"

namespace {

struct RepeatOptions {
  std::string input;
  std::string output;
  std::vector<std::string> datasets;
  std::string size = "2GiB";
  std::string layout = "contiguous";
  hsize_t chunk_time = 12;
  unsigned deflate = 0;
};

demo::Handle creation_properties(const RepeatOptions& options, const std::vector<hsize_t>& shape) {
  demo::Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "cannot make creation properties");
  H5Pset_fill_time(properties, H5D_FILL_TIME_NEVER);
  if (options.layout == "contiguous") return properties;
  auto chunk = shape;
  chunk.front() = std::min(options.chunk_time, shape.front());
  H5Pset_chunk(properties, static_cast<int>(chunk.size()), chunk.data());
  if (options.deflate > 0) {
    H5Pset_shuffle(properties);
    H5Pset_deflate(properties, options.deflate);
  }
  return properties;
}

/// Copies the attributes that say what the numbers mean; those that refer to other objects of the file stay behind.
void copy_attributes(hid_t from, hid_t to) {
  for (const char* name : {"_FillValue", "missing_value", "units", "long_name"}) {
    if (H5Aexists(from, name) <= 0) continue;
    const demo::Handle source(H5Aopen(from, name, H5P_DEFAULT), H5Aclose, "cannot open an attribute");
    const demo::Handle type(H5Aget_type(source), H5Tclose, "cannot read an attribute's type");
    const demo::Handle space(H5Aget_space(source), H5Sclose, "cannot read an attribute's shape");
    std::vector<char> value(std::max<hsize_t>(H5Aget_storage_size(source), H5Tget_size(type)));
    H5Aread(source, type, value.data());
    const demo::Handle copy(H5Acreate2(to, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
                            "cannot copy attribute " + std::string(name));
    H5Awrite(copy, type, value.data());
  }
}

void write_repeated(hid_t input, hid_t output, const std::string& name, std::uint64_t periods,
                    const RepeatOptions& options) {
  const auto source = demo::open_dataset(input, name);
  const auto period = demo::dataset_shape(source);
  std::vector<float> values(demo::element_count(period));
  if (H5Dread(source, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0)
    throw std::runtime_error("cannot read " + name);

  auto shape = period;
  shape.front() *= periods;
  const demo::Handle space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr), H5Sclose,
                           "cannot make a shape");
  const demo::Handle copy(H5Dcreate2(output, name.c_str(), H5T_IEEE_F32LE, space, H5P_DEFAULT,
                                     creation_properties(options, shape), H5P_DEFAULT),
                          H5Dclose, "cannot make data set " + name);
  copy_attributes(source, copy);
  const demo::Handle memory(H5Screate_simple(static_cast<int>(period.size()), period.data(), nullptr), H5Sclose,
                            "cannot make a shape");
  std::vector<hsize_t> start(shape.size());
  for (std::uint64_t i = 0; i < periods; ++i, start.front() += period.front()) {
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, period.data(), nullptr);
    if (H5Dwrite(copy, H5T_NATIVE_FLOAT, memory, space, H5P_DEFAULT, values.data()) < 0)
      throw std::runtime_error("cannot write " + name + " (is the disk full?)");
  }
}

void repeat(const RepeatOptions& options) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  const auto input = demo::open_file(options.input);
  std::uint64_t period_bytes = 0;
  for (const auto& name : options.datasets) {
    const auto shape = demo::dataset_shape(demo::open_dataset(input, name));
    if (shape.empty()) throw std::runtime_error(name + " has no axis to repeat along");
    period_bytes += demo::element_count(shape) * sizeof(float);
  }
  if (period_bytes == 0) throw std::runtime_error("there is nothing to repeat");
  const auto wanted = static_cast<std::uint64_t>(brim::parse_bytes(options.size).count());
  const auto periods = std::max<std::uint64_t>(1, (wanted + period_bytes - 1) / period_bytes);

  const demo::Handle output(H5Fcreate(options.output.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose,
                            "cannot make " + options.output);
  for (const auto& name : options.datasets) write_repeated(input, output, name, periods, options);
  std::printf("%s: %zu data sets, %llu periods, %s\n", options.output.c_str(), options.datasets.size(),
              static_cast<unsigned long long>(periods),
              to_string(brim::Bytes(static_cast<std::int64_t>(periods * period_bytes))).c_str());
}

}  // namespace

int main(int argc, char** argv) {
  RepeatOptions options;
  CLI::App app{"Repeats data sets of an HDF5 file along their first axis, as float32, up to a size in all."};
  app.add_option("input", options.input, "HDF5 file to read")->required();
  app.add_option("output", options.output, "HDF5 file to write")->required();
  app.add_option("--dataset", options.datasets, "a data set to repeat; may be given several times")->required();
  app.add_option("--size", options.size, "at least this much data in all")->capture_default_str();
  app.add_option("--layout", options.layout, "contiguous or chunked")
      ->check(CLI::IsMember({"contiguous", "chunked"}))
      ->capture_default_str();
  app.add_option("--chunk-time", options.chunk_time, "extent of a storage chunk along the first axis")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--deflate", options.deflate, "compress chunks, 1 - 9")->check(CLI::Range(0U, 9U));
  CLI11_PARSE(app, argc, argv);
  try {
    repeat(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "brim-repeat-time: %s\n", error.what());
    return 1;
  }
  return 0;
}
