#include "storage/write_output.h"

#include <algorithm>
#include <cstring>

#include "storage/box_rows.h"

namespace brim::storage {
namespace {

/// Cuts 0 .. extent at multiples of `step`, or at random places when step is 0.
std::vector<std::int64_t> cuts(std::int64_t extent, std::int64_t step, std::mt19937& random) {
  std::vector<std::int64_t> places = {0};
  while (places.back() < extent)
    places.push_back(std::min(extent, places.back() + (step > 0 ? step : 1 + static_cast<std::int64_t>(random() % 7))));
  return places;
}

template <typename Visit>
void for_each_cell(const std::vector<std::vector<std::int64_t>>& grid, Box& box, Visit visit, std::size_t axis = 0) {
  if (axis == grid.size()) {
    visit(box);
    return;
  }
  for (std::size_t i = 0; i + 1 < grid[axis].size(); ++i) {
    box.start[axis] = grid[axis][i];
    box.stop[axis] = grid[axis][i + 1];
    for_each_cell(grid, box, visit, axis + 1);
  }
}

}  // namespace

OutputDataset output_dataset(const std::string& file, const std::string& path, DType dtype, const Shape& shape,
                             const Shape& chunk, int deflate_level) {
  OutputDataset dataset;
  dataset.address = {file, path};
  dataset.dtype = dtype;
  dataset.grid = ChunkGrid(shape, chunk);
  dataset.deflate_level = deflate_level;
  return dataset;
}

std::vector<std::byte> random_values(DType dtype, const Shape& shape, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::byte> values(static_cast<std::size_t>(element_count(shape) * item_size(dtype)));
  for (auto& byte : values) byte = static_cast<std::byte>(is_bool(dtype) ? random() % 2 : random() % 11);
  return values;
}

std::vector<std::byte> cut_out(const std::vector<std::byte>& values, const Shape& shape, std::int64_t item_size,
                               const Box& region) {
  const auto extents = region.shape();
  std::vector<std::byte> part(static_cast<std::size_t>(element_count(extents) * item_size));
  const BoxRows rows({shape, region.start}, {extents, Shape(extents.size())}, extents);
  rows.for_each_group([&](const RowGroup& group) {
    for (std::int64_t row = 0; row < group.rows; ++row)
      std::memcpy(part.data() + (group.to + row * group.to_stride) * item_size,
                  values.data() + (group.from + row * group.from_stride) * item_size,
                  static_cast<std::size_t>(group.length * item_size));
  });
  return part;
}

void write_regions(const OutputTarget& target, const std::vector<std::byte>& values, std::mt19937& random) {
  const auto& grid = target.dataset.grid;
  std::vector<std::byte> memory(static_cast<std::size_t>(write_scratch(target.dataset).count()));
  Scratch scratch(memory);
  Writer writer(target);
  std::vector<std::vector<std::int64_t>> borders;
  for (std::size_t axis = 0; axis < grid.shape().size(); ++axis)
    borders.push_back(cuts(grid.shape()[axis], target.staging_file.empty() ? 0 : 2 * grid.chunk_shape()[axis], random));
  Box box = whole(grid.shape());
  for_each_cell(borders, box, [&](const Box& region) {
    writer.write(region, cut_out(values, grid.shape(), item_size(target.dataset.dtype), region), scratch);
  });
}

void assemble_all(const OutputFiles& files) {
  for (std::size_t i = 0; i < files.assembly_count(); ++i) {
    const auto targets = files.assembly(i);
    std::vector<OutputDataset> datasets;
    for (const auto& target : targets) datasets.push_back(target.dataset);
    std::vector<std::byte> memory(static_cast<std::size_t>(assemble_scratch(datasets).count()));
    Scratch scratch(memory);
    assemble(targets, scratch);
  }
}

void write_output(const OutputDataset& dataset, const std::vector<std::byte>& values) {
  OutputFiles files({dataset});
  std::mt19937 random(5);
  for (const auto& target : files.targets()) write_regions(target, values, random);
  assemble_all(files);
  files.commit();
}

}  // namespace brim::storage
