// What brim writes, read back by h5py and by brim itself.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "storage/write_output.h"

namespace brim::storage {
namespace {

struct Layout {
  Shape shape;
  Shape chunk;
};

const std::vector<Layout>& layouts() {
  static const std::vector<Layout> all = {
      {{}, {}},
      {{0}, {1}},
      {{3, 0}, {2, 1}},
      {{1}, {1}},
      {{40}, {7}},
      {{9, 13}, {4, 5}},
      {{9, 13}, {9, 13}},
      {{5, 6, 7}, {2, 6, 3}},
      {{3, 4, 5, 6}, {1, 3, 5, 4}},
      {Shape(16, 2), {1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2}},
  };
  return all;
}

TEST(WriterConformance, EveryTypeShapeAndCompressionReadsBackAsItWasWritten) {
  const TemporaryDirectory directory;
  for (const int deflate_level : {0, 1, 6}) {
    const auto file = directory / fmt::format("level{}.h5", deflate_level);
    std::vector<OutputDataset> datasets;
    std::vector<std::vector<std::byte>> values;
    for (const DType dtype : kAllDTypes)
      for (std::size_t i = 0; i < layouts().size(); ++i) {
        const auto& [shape, chunk] = layouts()[i];
        datasets.push_back(
            output_dataset(file, fmt::format("/{}/of {}", to_string(dtype), i), dtype, shape, chunk, deflate_level));
        values.push_back(random_values(dtype, shape, static_cast<unsigned>(datasets.size())));
      }
    OutputFiles files(datasets);
    std::mt19937 random(3);
    for (std::size_t i = 0; i < datasets.size(); ++i) write_regions(files.targets()[i], values[i], random);
    assemble_all(files);
    files.commit();
    for (std::size_t i = 0; i < datasets.size(); ++i) {
      const auto read = h5py_values(datasets[i].address, whole(datasets[i].grid.shape()));
      ASSERT_EQ(read.dtype, datasets[i].dtype) << to_string(datasets[i].address);
      ASSERT_EQ(read.shape, datasets[i].grid.shape()) << to_string(datasets[i].address);
      ASSERT_EQ(read.bytes, values[i]) << to_string(datasets[i].address);
      const auto source = open_source(datasets[i].address, {});
      ASSERT_EQ(read_region(source, whole(source.info.shape)), values[i]) << to_string(datasets[i].address);
    }
  }
}

TEST(WriterConformance, TheHdf5ToolsAcceptTheFiles) {
  const TemporaryDirectory directory;
  for (const int deflate_level : {0, 4}) {
    const auto dataset = output_dataset(directory / "tool.h5", "/a/x", DType::kInt16, {6, 5}, {4, 3}, deflate_level);
    write_output(dataset, random_values(DType::kInt16, {6, 5}, 1));
    const auto command = fmt::format("h5dump {} > {}", dataset.address.file, directory / "dump.txt");
    EXPECT_EQ(std::system(command.c_str()), 0);
  }
}

TEST(WriterConformance, AHundredThousandChunksAreLaidOutAndFound) {
  const TemporaryDirectory directory;
  const auto dataset = output_dataset(directory / "many.h5", "/x", DType::kUInt8, {1000, 1000}, {10, 1});
  const auto values = random_values(DType::kUInt8, {1000, 1000}, 9);
  write_output(dataset, values);
  EXPECT_EQ(h5py_values(dataset.address, whole({1000, 1000})).bytes, values);
}

}  // namespace
}  // namespace brim::storage
