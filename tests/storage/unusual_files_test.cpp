// Files that h5py's defaults do not make: user blocks, links to other files, virtual and external data, filter masks,
// odd element types.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>

#include <bit>
#include <cmath>
#include <numeric>

#include "storage/codec/deflate.h"
#include "storage/codec/fletcher32.h"
#include "storage/codec/shuffle.h"
#include "storage/h5py_files.h"
#include "storage/hdf5/call.h"

namespace brim::storage {
namespace {

using ::testing::HasSubstr;

class UnusualFiles : public ::testing::Test {
 protected:
  void expect_as_h5py(const std::string& path) const {
    const auto source = open_source({file_, path}, {});
    const auto wanted = h5py_values({file_, path}, whole(source.info.shape));
    EXPECT_EQ(source.info.dtype, wanted.dtype) << path;
    EXPECT_EQ(read_region(source, whole(source.info.shape)), wanted.bytes) << path;
  }
  TemporaryDirectory directory_;
  std::string file_ = directory_ / "file.h5";
};

TEST_F(UnusualFiles, UserBlocksMoveEverything) {
  for (const std::string version : {"earliest", "latest"}) {
    run_python(
        fmt::format("with h5py.File('{}', 'w', userblock_size=4096, libver='{}') as f:\n"
                    "  f['contiguous'] = np.arange(50)\n"
                    "  f.create_dataset('chunked', data=np.arange(50), chunks=(7,))\n"
                    "  f.create_dataset('packed', data=np.arange(50), chunks=(7,), compression='gzip')",
                    file_, version));
    for (const std::string path : {"/contiguous", "/chunked", "/packed"}) expect_as_h5py(path);
  }
}

TEST_F(UnusualFiles, LinksLeadToDataInTheSameOrAnotherFile) {
  run_python(
      fmt::format("with h5py.File('{}', 'w') as f: f['y'] = np.arange(9)\n"
                  "with h5py.File('{}', 'w') as f:\n"
                  "  f['g/x'] = np.arange(5); f['soft'] = h5py.SoftLink('/g/x')\n"
                  "  f['away'] = h5py.ExternalLink('other.h5', '/y')",
                  directory_ / "other.h5", file_));
  expect_as_h5py("/soft");
  expect_as_h5py("/away");
}

TEST_F(UnusualFiles, VirtualExternalAndCompactData) {
  run_python(
      fmt::format("with h5py.File('{0}', 'w') as f: f['y'] = np.arange(12.)\n"
                  "with h5py.File('{1}', 'w') as f:\n"
                  "  layout = h5py.VirtualLayout((2, 12), 'f8'); layout[1] = h5py.VirtualSource('{0}', 'y', (12,))\n"
                  "  f.create_virtual_dataset('virtual', layout, fillvalue=-3)\n"
                  "  f.create_dataset('external', (10,), 'i4', external=[('{2}', 0, 40)])[...] = np.arange(10)\n"
                  "  p = h5py.h5p.create(h5py.h5p.DATASET_CREATE); p.set_layout(h5py.h5d.COMPACT)\n"
                  "  d = h5py.h5d.create(f.id, b'compact', h5py.h5t.STD_I16BE, h5py.h5s.create_simple((4,)), p)\n"
                  "  d.write(h5py.h5s.ALL, h5py.h5s.ALL, np.arange(4, dtype='i2'))",
                  directory_ / "other.h5", file_, directory_ / "raw"));
  for (const std::string path : {"/virtual", "/external", "/compact"}) expect_as_h5py(path);
}

TEST_F(UnusualFiles, BitFieldsOddPrecisionsAndForeignFloats) {
  run_python(fmt::format(
      "with h5py.File('{}', 'w') as f:\n"
      "  s = h5py.h5s.create_simple((4,))\n"
      "  def make(name, t): h5py.h5d.create(f.id, name, t, s).write(h5py.h5s.ALL, h5py.h5s.ALL, v, mtype=m)\n"
      "  v = np.array([0, 1, 2, 255], 'u1'); m = h5py.h5t.STD_B8LE; make(b'bits', h5py.h5t.STD_B8LE)\n"
      "  t = h5py.h5t.STD_I32LE.copy(); t.set_precision(12)\n"
      "  v = np.array([-5, 1, 2, 2000], 'i4'); m = h5py.h5t.NATIVE_INT32; make(b'odd', t)\n"
      "  t = h5py.h5t.IEEE_F32LE.copy(); t.set_fields(31, 23, 8, 0, 23); t.set_ebias(100)\n"
      "  v = np.array([0, 1.5, -2, 1e-3], 'f4'); m = h5py.h5t.NATIVE_FLOAT; make(b'biased', t)\n"
      "  e = h5py.enum_dtype(dict(LOW=3, HIGH=40000), 'i4')\n"
      "  f.create_dataset('enum', data=np.array([3, 40000, 3], 'i4'), dtype=e)",
      file_));
  const auto bits = open_source({file_, "/bits"}, {});
  EXPECT_EQ(bits.info.dtype, DType::kUInt8);
  EXPECT_THAT(read_region(bits, whole({4})),
              ::testing::ElementsAre(std::byte{0}, std::byte{1}, std::byte{2}, std::byte{255}));
  for (const std::string path : {"/odd", "/enum"}) expect_as_h5py(path);
  const auto biased = read_region(open_source({file_, "/biased"}, {}), whole({4}));
  const auto* values = reinterpret_cast<const float*>(biased.data());
  EXPECT_THAT(std::vector<float>(values, values + 4), ::testing::ElementsAre(0.0F, 1.5F, -2.0F, 1e-3F));
}

TEST_F(UnusualFiles, EveryHalfFloatIsReadAsNumpyConvertsIt) {
  run_python(
      fmt::format("v = np.arange(65536).astype('u2')\n"
                  "with h5py.File('{}', 'w') as f:\n"
                  "  f['little'] = v.view('<f2'); f['big'] = v.astype('>u2').view('>f2')\n"
                  "with np.errstate(all='ignore'): w = v.view('f2').astype('f4')",
                  file_));
  const auto wanted = python_value("w");
  for (const std::string path : {"/little", "/big"}) {
    const auto bytes = read_region(open_source({file_, path}, {}), whole({65536}));
    const auto* values = reinterpret_cast<const float*>(bytes.data());
    for (std::size_t i = 0; i < 65536; ++i)
      ASSERT_TRUE(std::bit_cast<std::uint32_t>(values[i]) == std::bit_cast<std::uint32_t>(wanted.as<float>()[i]) ||
                  (std::isnan(values[i]) && std::isnan(wanted.as<float>()[i])))
          << "bits " << i << " of " << path;
  }
}

TEST_F(UnusualFiles, FiltersThatAChunkLeftOutAreNotUndone) {
  // Three filters; every chunk leaves out another set of them, by its mask.
  run_python(
      fmt::format("import zlib\n"
                  "def shuffled(b): return np.frombuffer(b, 'u1').reshape(-1, 4).T.tobytes()\n"
                  "v = np.arange(8 * 16, dtype='i4')\n"
                  "with h5py.File('{}', 'w') as f:\n"
                  "  d = f.create_dataset('x', (8 * 16,), 'i4', chunks=(16,), shuffle=True, compression='gzip')\n"
                  "  for mask in range(4):\n"
                  "    for copy in (0, 4):\n"
                  "      b = v[(mask + copy) * 16:(mask + copy + 1) * 16].tobytes()\n"
                  "      b = b if mask & 1 else shuffled(b)\n"
                  "      b = b if mask & 2 else zlib.compress(b)\n"
                  "      d.id.write_direct_chunk(((mask + copy) * 16,), b, mask)",
                  file_));
  std::vector<std::int32_t> wanted(8 * 16);
  std::iota(wanted.begin(), wanted.end(), 0);
  const auto bytes = read_region(open_source({file_, "/x"}, {}), whole({8 * 16}));
  const auto* values = reinterpret_cast<const std::int32_t*>(bytes.data());
  EXPECT_EQ(std::vector<std::int32_t>(values, values + wanted.size()), wanted);
}

TEST_F(UnusualFiles, EdgeChunksThatAreStoredWithoutFilters) {
  using hdf5::Handle;
  const hsize_t extent = 50;
  const hsize_t chunk = 16;
  std::vector<std::int32_t> wanted(extent);
  std::iota(wanted.begin(), wanted.end(), -7);
  {
    const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    H5Pset_libver_bounds(access.id(), H5F_LIBVER_V110, H5F_LIBVER_LATEST);
    const Handle file(H5Fcreate(file_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.id()), H5Fclose);
    const Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    H5Pset_chunk(creation.id(), 1, &chunk);
    H5Pset_shuffle(creation.id());
    H5Pset_deflate(creation.id(), 3);
    H5Pset_chunk_opts(creation.id(), H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS);
    const Handle space(H5Screate_simple(1, &extent, nullptr), H5Sclose);
    const Handle data(H5Dcreate2(file.id(), "x", H5T_STD_I32BE, space.id(), H5P_DEFAULT, creation.id(), H5P_DEFAULT),
                      H5Dclose);
    ASSERT_GE(H5Dwrite(data.id(), H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, wanted.data()), 0);
  }
  const auto bytes = read_region(open_source({file_, "/x"}, {}), whole({50}));
  const auto* values = reinterpret_cast<const std::int32_t*>(bytes.data());
  EXPECT_EQ(std::vector<std::int32_t>(values, values + wanted.size()), wanted);
}

TEST_F(UnusualFiles, ChunksLargerThanTheirDataSet) {
  run_python(
      fmt::format("with h5py.File('{}', 'w') as f:\n"
                  "  f.create_dataset('x', data=np.arange(15).reshape(3, 5), chunks=(8, 9), maxshape=(None, 9))\n"
                  "  f.create_dataset('z', data=np.arange(15).reshape(3, 5), chunks=(8, 9), maxshape=(None, 9), "
                  "compression='gzip', fletcher32=True)",
                  file_));
  expect_as_h5py("/x");
  expect_as_h5py("/z");
}

TEST_F(UnusualFiles, AReadLocksNothingAndNoLockStopsARead) {
  run_python(
      fmt::format("with h5py.File('{0}', 'w') as f: f['x'] = np.arange(5)\n"
                  "import fcntl; held = open('{0}', 'r+b'); fcntl.flock(held, fcntl.LOCK_EX)",
                  file_));
  const auto source = open_source({file_, "/x"}, {});
  const Reader reader(source);
  run_python("held.close()");
  run_python(fmt::format("with h5py.File('{}', 'a') as f: pass", file_));  // takes HDF5's lock while we read
}

TEST(Fletcher32, IsThatOfHdf5ForEveryLength) {
  run_python(
      "import struct\n"
      "def checksum(v):\n"
      "  with h5py.File('m', 'w', driver='core', backing_store=False) as f:\n"
      "    d = f.create_dataset('x', data=v, chunks=v.shape, fletcher32=True); f.flush()\n"
      "    return struct.unpack('<I', d.id.read_direct_chunk((0,))[1][-4:])[0]\n"
      "v = np.random.default_rng(3).integers(0, 256, 3000).astype('u1')\n"
      "sizes = list(range(1, 40)) + [719, 720, 721, 722, 1441, 2999, 3000]\n"
      "sums = np.array([checksum(v[:n]) for n in sizes], 'u8')");
  const auto data = python_value("v");
  const auto sizes = python_value("np.array(sizes, 'i8')");
  const auto sums = python_value("sums");
  for (std::size_t i = 0; i < sums.as<std::uint64_t>().size(); ++i)
    EXPECT_EQ(fletcher32(std::span(data.bytes).first(static_cast<std::size_t>(sizes.as<std::int64_t>()[i]))),
              sums.as<std::uint64_t>()[i])
        << sizes.as<std::int64_t>()[i] << " bytes";
}

TEST(Shuffle, IsUndoneForEverySizeAndLength) {
  for (int size = 1; size <= 17; ++size)
    for (std::size_t bytes = 0; bytes < 100; ++bytes) {
      std::vector<std::byte> data(bytes);
      for (std::size_t i = 0; i < bytes; ++i) data[i] = static_cast<std::byte>(i * 37 + 1);
      std::vector<std::byte> shuffled(bytes);
      std::vector<std::byte> again(bytes);
      shuffle_bytes(data, shuffled, size);
      unshuffle_bytes(shuffled, again, size);
      ASSERT_EQ(again, data) << size << " " << bytes;
      const auto count = bytes / static_cast<std::size_t>(size);
      if (count > 1) {
        ASSERT_EQ(shuffled[1], data[static_cast<std::size_t>(size)]) << size << " " << bytes;
      }
    }
}

}  // namespace
}  // namespace brim::storage
