// The bounds that plans are made with: what reading and writing take is never more than they say.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

#include "storage/write_output.h"

namespace brim::storage {
namespace {

/// Memory that is given to the C library's callers now.
std::int64_t allocated() {
  const auto info = mallinfo2();
  return static_cast<std::int64_t>(info.uordblks + info.hblkhd);
}

/// The kernel counts resident pages in batches.
constexpr std::int64_t kCountingNoise = 512 << 10;

/// Memory of this process at its highest since the last reset.
std::int64_t peak_resident() {
  std::FILE* status = std::fopen("/proc/self/status", "r");
  std::int64_t kibibytes = 0;
  char line[256];
  while (std::fgets(line, sizeof line, status) != nullptr)
    if (std::sscanf(line, "VmHWM: %ld kB", &kibibytes) == 1) break;
  std::fclose(status);
  return kibibytes << 10;
}

void reset_peak_resident() {
  std::FILE* file = std::fopen("/proc/self/clear_refs", "w");
  std::fputs("5", file);
  std::fclose(file);
}

/// Runs the work in a process of its own whose answer must be true.
template <typename Work>
void expect_in_child(Work work) {
  const auto child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    bool good = false;
    try {
      good = work();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
    }
    _exit(good ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

bool holds(const char* what, std::int64_t used, std::int64_t bound) {
  if (used > bound) std::fprintf(stderr, "%s: %ld used, %ld allowed\n", what, used, bound);
  return used <= bound;
}

/// Reads all of a data set in slabs and checks both bounds.
bool reads_within_bounds(const DatasetAddress& address) {
  const auto source = open_source(address, {});
  const auto row = element_count(source.info.shape) / source.info.shape[0] * item_size(source.info.dtype);
  constexpr std::int64_t kRows = 100;
  std::vector<std::byte> memory(static_cast<std::size_t>(read_scratch(source).count()), std::byte{1});
  std::vector<std::byte> values(static_cast<std::size_t>(kRows * row), std::byte{1});
  Scratch scratch(memory);
  malloc_trim(0);
  reset_peak_resident();
  const auto resident = peak_resident();
  const auto before = allocated();
  std::int64_t most = 0;
  {
    Reader reader(source);
    for (std::int64_t first = 0; first < source.info.shape[0]; first += kRows) {
      Box box = whole(source.info.shape);
      box.start[0] = first;
      box.stop[0] = std::min(first + kRows, source.info.shape[0]);
      reader.read(box, std::span(values).first(static_cast<std::size_t>((box.stop[0] - first) * row)), scratch);
      most = std::max(most, allocated() - before);
    }
  }
  const auto library = library_memory(source).count();
  return holds("scratch", scratch.peak().count(), read_scratch(source).count()) &&
         holds("held between reads", most, library) &&
         holds("resident at the peak", peak_resident() - resident, library + kCountingNoise);
}

class ReadMemoryOf : public ::testing::TestWithParam<const char*> {};

TEST_P(ReadMemoryOf, StaysWithinItsBounds) {
  const TemporaryDirectory directory;
  const auto file = directory / "big.h5";
  run_python(
      fmt::format("v = (np.random.default_rng(1).integers(0, 30, (4000, 2000)) * 3).astype('i4')\n"
                  "with h5py.File('{}', 'w') as f: f.create_dataset('x', data=v, {})",
                  file, GetParam()));
  open_source({file, "/x"}, {});  // what HDF5 keeps for ever is not this reader's
  expect_in_child([&] { return reads_within_bounds({file, "/x"}); });
}

INSTANTIATE_TEST_SUITE_P(Layouts, ReadMemoryOf,
                         ::testing::Values("chunks=None", "chunks=(100, 2000)", "chunks=(5, 20)",
                                           "chunks=(1000, 2000), compression='gzip', shuffle=True",
                                           "chunks=(10, 20), compression='gzip', fletcher32=True",
                                           "chunks=(1000, 500), scaleoffset=0",
                                           "chunks=(500, 500), compression='szip'"));

TEST(ReadMemory, OfADataSetInACrowdStaysWithinItsBoundsToo) {
  const TemporaryDirectory directory;
  const auto file = directory / "crowd.h5";
  for (const std::string version : {"earliest", "latest"}) {
    run_python(
        fmt::format("with h5py.File('{}', 'w', libver='{}') as f:\n"
                    "  for i in range(3000): f[f'g/data set number {{i}}'] = np.arange(i)\n"
                    "  for i in range(200): f['g'].attrs[f'a{{i}}'] = 'some text' * 20\n"
                    "  f['g/x'] = np.zeros((500, 500), 'i4')\n"
                    "  for i in range(200): f['g/x'].attrs[f'a{{i}}'] = 'some text' * 20\n",
                    file, version));
    open_source({file, "/g/x"}, {});
    expect_in_child([&] { return reads_within_bounds({file, "/g/x"}); });
  }
}

bool writes_within_bounds(const OutputDataset& dataset) {
  const OutputFiles files({dataset});
  const auto values = random_values(dataset.dtype, dataset.grid.shape(), 1);
  std::vector<std::byte> memory(static_cast<std::size_t>(write_scratch(dataset).count()), std::byte{1});
  Scratch scratch(memory);
  const auto write = [&] { Writer(files.targets()[0]).write(whole(dataset.grid.shape()), values, scratch); };
  write();  // the code itself comes into memory when it is used first
  malloc_trim(0);
  reset_peak_resident();
  const auto resident = peak_resident();
  write();
  if (!holds("scratch", scratch.peak().count(), write_scratch(dataset).count()) ||
      !holds("resident at the peak", peak_resident() - resident, library_memory(dataset).count() + kCountingNoise))
    return false;
  std::vector<std::byte> assembling(static_cast<std::size_t>(assemble_scratch({dataset}).count()), std::byte{1});
  Scratch assembly_scratch(assembling);
  malloc_trim(0);
  reset_peak_resident();
  const auto assembly_start = peak_resident();
  for (std::size_t i = 0; i < files.assembly_count(); ++i) assemble(files.assembly(i), assembly_scratch);
  return holds("assembly", peak_resident() - assembly_start + assembly_scratch.peak().count(),
               assemble_scratch({dataset}).count());
}

class WriteMemory : public ::testing::TestWithParam<std::pair<Shape, int>> {};

TEST_P(WriteMemory, StaysWithinItsBounds) {
  const TemporaryDirectory directory;
  const auto& [chunk, level] = GetParam();
  const auto dataset = output_dataset(directory / "out.h5", "/x", DType::kInt32, {2000, 1000}, chunk, level);
  expect_in_child([&] { return writes_within_bounds(dataset); });
}

INSTANTIATE_TEST_SUITE_P(Layouts, WriteMemory,
                         ::testing::Values(std::pair{Shape{1000, 1000}, 0}, std::pair{Shape{10, 10}, 0},
                                           std::pair{Shape{1000, 1000}, 6}, std::pair{Shape{10, 10}, 1}));

}  // namespace
}  // namespace brim::storage
