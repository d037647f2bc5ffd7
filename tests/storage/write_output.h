#pragma once

#include <random>
#include <vector>

#include "storage/h5py_files.h"
#include "storage/output.h"

namespace brim::storage {

/// A description of an output.
OutputDataset output_dataset(const std::string& file, const std::string& path, DType dtype, const Shape& shape,
                             const Shape& chunk, int deflate_level = 0);

/// Random bytes that are values of that dtype.
std::vector<std::byte> random_values(DType dtype, const Shape& shape, unsigned seed);

/// The part of C-contiguous values that a region covers.
std::vector<std::byte> cut_out(const std::vector<std::byte>& values, const Shape& shape, std::int64_t item_size,
                               const Box& region);

/// Writes the values as workers do, in a scratch of exactly write_scratch() bytes: region by region, with borders
/// anywhere where the target is not staged.
void write_regions(const OutputTarget& target, const std::vector<std::byte>& values, std::mt19937& random);

/// Runs every assembly, in a scratch of exactly assemble_scratch() bytes.
void assemble_all(const OutputFiles& files);

/// From construction to commit.
void write_output(const OutputDataset& dataset, const std::vector<std::byte>& values);

}  // namespace brim::storage
