// Every layout, element type, filter and byte order that h5py writes, read region by region and compared with what h5py
// reads.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "storage/h5py_files.h"

namespace brim::storage {
namespace {

constexpr const char* kMakeFile = R"(
import itertools
rng = np.random.default_rng(7)
types = ['bool', 'i1', 'i2', 'i4', 'i8', 'u1', 'u2', 'u4', 'u8', 'f2', 'f4', 'f8', '>i2', '>i4', '>i8', '>u2', '>u4',
         '>u8', '>f2', '>f4', '>f8']

def random_values(shape, dtype):
    kind = np.dtype(dtype).kind
    if kind == 'b':
        return rng.integers(0, 2, shape).astype(bool)
    raw = rng.integers(0, 2**63, shape, dtype=np.uint64) >> rng.integers(0, 60, shape, dtype=np.uint64)
    if kind in 'iu':
        return raw.astype(dtype)
    v = rng.normal(size=shape) * 10.0 ** rng.integers(-6, 5, shape)
    special = rng.integers(0, 40, shape)
    v = np.where(special == 0, np.inf, np.where(special == 1, np.nan, np.where(special == 2, -0.0, v)))
    with np.errstate(over='ignore'):
        return v.astype(dtype)

filters = {
    'plain': {},
    'gzip': dict(compression='gzip', compression_opts=1),
    'shuffle': dict(shuffle=True),
    'gzip_shuffle': dict(compression='gzip', compression_opts=4, shuffle=True),
    'fletcher': dict(fletcher32=True),
    'all': dict(compression='gzip', compression_opts=9, shuffle=True, fletcher32=True),
    'szip': dict(compression='szip', compression_opts=('nn', 2)),
    'scaleoffset': dict(scaleoffset=0),
}
shapes = {
    (): None, (0,): (3,), (5, 0, 2): (2, 1, 2), (1,): (1,), (17,): (5,), (9, 13): (4, 5), (9, 13, 1): (9, 13, 1),
    (5, 6, 7): (2, 6, 3), (3, 4, 5, 6): (1, 3, 5, 4), (2,) * 9: (2, 1) * 4 + (2,), (2,) * 16: (1, 2) * 8,
}

def make(file, libver):
    with h5py.File(file, 'w', libver=libver) as f:
        for dtype in types:
            g = f.create_group(dtype.replace('>', 'big_'))
            for n, (shape, chunks) in enumerate(shapes.items()):
                if len(shape) > 8 and dtype not in ('i2', '>f4'):
                    continue
                g.create_dataset(f'contiguous_{n}', data=random_values(shape, dtype))
                if chunks is None:
                    continue
                for name, options in filters.items():
                    if name == 'scaleoffset' and np.dtype(dtype).kind not in 'iu' or name == 'szip' and (dtype == 'bool' or np.prod(chunks) < 32):
                        continue
                    bounded = all(c <= s for c, s in zip(chunks, shape))
                    d = g.create_dataset(f'{name}_{n}', shape, dtype, chunks=chunks,
                                         maxshape=None if bounded else (None,) * len(shape), **options)
                    d[...] = random_values(shape, dtype)
)";

Box random_box(std::mt19937& random, const Shape& shape) {
  Box box = whole(shape);
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    std::uniform_int_distribution<std::int64_t> place(0, shape[axis]);
    box.start[axis] = place(random);
    box.stop[axis] = place(random);
    if (box.stop[axis] < box.start[axis]) std::swap(box.start[axis], box.stop[axis]);
  }
  return box;
}

std::string describe(const DatasetInfo& info, const Box& box) {
  return fmt::format("{} {} stored as {}, region {}", to_string(info.address), brim::to_string(info.shape),
                     info.stored_dtype, to_string(box));
}

void compare_all(const std::string& file) {
  std::mt19937 random(11);
  const auto infos = list_datasets(file);
  ASSERT_GT(infos.size(), 1000U);
  for (const auto& info : infos) {
    const auto source = open_source(info.address, {});
    const auto all = h5py_values(info.address, whole(info.shape));
    ASSERT_EQ(source.info.dtype, all.dtype) << describe(info, whole(info.shape));
    ASSERT_EQ(source.info.shape, all.shape);
    ASSERT_EQ(read_region(source, whole(info.shape)), all.bytes) << describe(info, whole(info.shape));
    const Box box = random_box(random, info.shape);
    ASSERT_EQ(read_region(source, box), h5py_values(info.address, box).bytes) << describe(info, box);
  }
}

TEST(ReaderConformance, EveryLayoutTypeFilterAndOrderReadsAsH5pyReadsIt) {
  const TemporaryDirectory directory;
  run_python(kMakeFile);
  // The versions of the file format differ in how chunks are found.
  for (const std::string version : {"earliest", "latest"}) {
    const auto file = directory / (version + ".h5");
    run_python(fmt::format("make('{}', '{}')", file, version));
    compare_all(file);
  }
}

}  // namespace
}  // namespace brim::storage
