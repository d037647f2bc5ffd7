// What people get to read when a file or a data set is not what they think.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "brim/error.h"
#include "storage/h5py_files.h"
#include "storage/storage_errors.h"

namespace brim::storage {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class OpenErrors : public ::testing::Test {
 protected:
  void SetUp() override {
    run_python(
        fmt::format("with h5py.File('{}', 'w') as f:\n"
                    "  f['temperature'] = np.arange(10000.)\n"
                    "  f['pressure'] = np.arange(3.)\n"
                    "  f['deep/er/value'] = np.arange(3.)\n"
                    "  f['text'] = 'hello'\n"
                    "  f['pair'] = np.array([(1, 2)], dtype=[('r', 'f4'), ('i', 'f4')])\n"
                    "  f['link'] = f['text'].ref\n"
                    "  f['nothing'] = h5py.Empty('f4')\n"
                    "  f['long'] = np.zeros(3, np.longdouble)\n"
                    "  f.create_dataset('lzf', data=np.arange(100.), chunks=(10,), compression='lzf')",
                    file_));
  }
  std::string error(const std::string& path) {
    return storage_error_of([&] { open_source({file_, path}, {}); });
  }
  std::string file_error(const std::string& content) {
    const auto name = directory_ / "other";
    std::ofstream(name, std::ios::binary) << content;
    return storage_error_of([&] { open_source({name, "/x"}, {}); });
  }

  TemporaryDirectory directory_;
  std::string file_ = directory_ / "data.h5";
};

TEST_F(OpenErrors, AFileThatIsNotThereIsNamedWithItsNearestNeighbour) {
  EXPECT_THAT(storage_error_of([&] {
                open_source({directory_ / "dta.h5", "/x"}, {});
              }),
              AllOf(HasSubstr("dta.h5: no such file"), HasSubstr("did you mean 'data.h5'?")));
}

TEST_F(OpenErrors, ADirectoryThatIsNotThereIsNamed) {
  EXPECT_THAT(storage_error_of([&] {
                open_source({directory_ / "no/data.h5", "/x"}, {});
              }),
              HasSubstr(fmt::format("no directory {}", directory_ / "no")));
}

TEST_F(OpenErrors, ADirectoryIsNoFile) {
  EXPECT_THAT(storage_error_of([&] {
                open_source({directory_.path().string(), "/x"}, {});
              }),
              HasSubstr("is a directory"));
}

TEST_F(OpenErrors, ANameThatIsNotThereComesWithNearOnes) {
  EXPECT_THAT(error("/temprature"), AllOf(HasSubstr("holds no /temprature"), HasSubstr("did you mean 'temperature'?"),
                                          Not(HasSubstr("pressure"))));
}

TEST_F(OpenErrors, AGroupThatIsNotThereOnTheWayComesWithNearOnes) {
  EXPECT_THAT(error("/deep/ar/value"), AllOf(HasSubstr("holds no /deep/ar"), HasSubstr("did you mean 'er'?")));
}

TEST_F(OpenErrors, ANameLikeNoOtherComesWithAllThereIs) {
  EXPECT_THAT(error("/deep/er/wind"), AllOf(HasSubstr("holds no /deep/er/wind"), HasSubstr("there is: value")));
}

TEST_F(OpenErrors, ADataSetOnTheWayIsNoGroup) {
  EXPECT_THAT(error("/pressure/x"), AllOf(HasSubstr("holds no /pressure/x"), HasSubstr("/pressure is a data set")));
}

TEST_F(OpenErrors, AGroupIsNoDataSet) {
  EXPECT_THAT(error("/deep"), AllOf(HasSubstr("/deep is a group"), HasSubstr("er")));
}

TEST_F(OpenErrors, ElementTypesThatBrimCannotComputeWithAreNamed) {
  EXPECT_THAT(error("/text"), HasSubstr("holds string"));
  EXPECT_THAT(error("/pair"), HasSubstr("holds compound (r, i)"));
  EXPECT_THAT(error("/link"), HasSubstr("holds reference"));
  EXPECT_THAT(error("/nothing"), HasSubstr("a null data space"));
  EXPECT_THAT(error("/long"), HasSubstr("holds float128"));
}

TEST_F(OpenErrors, AMissingFilterIsNamed) {
  EXPECT_THAT(error("/lzf"), AllOf(HasSubstr("filter 32000 (lzf)"), HasSubstr("HDF5_PLUGIN_PATH")));
}

TEST_F(OpenErrors, OtherKindsOfFilesAreRecognised) {
  EXPECT_THAT(file_error("CDF\x01 and more"), AllOf(HasSubstr("classic netCDF"), HasSubstr("nccopy -4 ")));
  EXPECT_THAT(file_error("GRIB...."), HasSubstr("looks like a GRIB file"));
  EXPECT_THAT(file_error("\x1f\x8b and more"), HasSubstr("looks like a gzip file"));
  EXPECT_THAT(file_error("whatever"), HasSubstr("is not an HDF5 file"));
  EXPECT_THAT(file_error("a"), HasSubstr("is not an HDF5 file"));
  EXPECT_THAT(file_error(""), HasSubstr("is empty"));
}

TEST_F(OpenErrors, ATruncatedFileIsCalledThat) {
  std::filesystem::resize_file(file_, 20000);
  EXPECT_THAT(error("/temperature"), HasSubstr("truncated"));
}

TEST_F(OpenErrors, AFileCutOffInItsDataIsCalledTruncatedWhenRead) {
  // A file whose end HDF5 does not check, because what says where it ends was cut down too: the reader finds it.
  const auto source = open_source({file_, "/temperature"}, {});
  Reader reader(source);
  std::vector<std::byte> memory(static_cast<std::size_t>(read_scratch(source).count()));
  Scratch scratch(memory);
  std::vector<std::byte> values(80000);
  std::filesystem::resize_file(file_, 3000);
  EXPECT_THAT(storage_error_of([&] { reader.read(whole({10000}), values, scratch); }),
              AllOf(HasSubstr("/temperature [0:10000]"), HasSubstr("truncated")));
}

TEST_F(OpenErrors, AFileThatChangedSincePlanningIsRefused) {
  const auto source = open_source({file_, "/temperature"}, {});
  run_python(fmt::format("with h5py.File('{}', 'a') as f: f['more'] = 1", file_));
  EXPECT_THAT(storage_error_of([&] { Reader reader(source); }), HasSubstr("has changed since"));
}

TEST_F(OpenErrors, DamagedChunksAreReportedWithTheirPlace) {
  run_python(
      fmt::format("with h5py.File('{0}', 'w') as f:\n"
                  "  d = f.create_dataset('x', data=np.arange(1000.), chunks=(100,), fletcher32=True)\n"
                  "  z = f.create_dataset('z', data=np.arange(1000.), chunks=(100,), compression='gzip')\n"
                  "  places = [s.id.get_chunk_info(3).byte_offset for s in (d, z)]\n"
                  "with open('{0}', 'r+b') as f:\n"
                  "  for p in places: f.seek(p + 10); f.write(b'broken')",
                  file_));
  EXPECT_THAT(storage_error_of([&] {
                read_region(open_source({file_, "/x"}, {}), whole({1000}));
              }),
              AllOf(HasSubstr("/x [0:1000]"), HasSubstr("chunk (3,)"), HasSubstr("fletcher32 checksum")));
  EXPECT_THAT(storage_error_of([&] {
                read_region(open_source({file_, "/z"}, {}), whole({1000}));
              }),
              AllOf(HasSubstr("/z [0:1000]"), HasSubstr("chunk (3,)"), HasSubstr("damaged")));
}

TEST_F(OpenErrors, AFileThatIsNotForUsIsCalledThat) {
  std::filesystem::permissions(directory_.path(), std::filesystem::perms::all);
  std::filesystem::permissions(file_, std::filesystem::perms::none);
  const AsOrdinaryUser user;
  EXPECT_THAT(error("/temperature"), AllOf(HasSubstr("Permission denied"), HasSubstr("ls -l")));
}

TEST(ParseAddress, SplitsAtTheLastColonSlash) {
  EXPECT_EQ(parse_address("era5.h5:/t2"), (DatasetAddress{"era5.h5", "/t2"}));
  EXPECT_EQ(parse_address("a:/b.h5:/g/x"), (DatasetAddress{"a:/b.h5", "/g/x"}));
  EXPECT_EQ(parse_address("a.h5://g//x/"), (DatasetAddress{"a.h5", "/g/x"}));
  EXPECT_EQ(to_string(parse_address("a.h5:/g/x")), "a.h5:/g/x");
}

TEST(ParseAddress, RefusesWhatNamesNoDataSet) {
  for (const std::string text : {"era5.h5", "era5.h5:t2", ":/t2", "", "era5.h5:/"}) {
    try {
      parse_address(text);
      FAIL() << text;
    } catch (const UsageError& error) {
      EXPECT_THAT(std::string(error.what()), HasSubstr("FILE:/PATH")) << text;
    }
  }
}

TEST(ListDatasets, WalksGroupsInNameOrderAndOnce) {
  const TemporaryDirectory directory;
  const auto file = directory / "list.h5";
  run_python(
      fmt::format("with h5py.File('{}', 'w', userblock_size=1024) as f:\n"
                  "  f['b'] = np.zeros((2, 3), '>f4')\n"
                  "  f['a/x'] = 'text'\n"
                  "  f['a/up'] = f['/']\n"
                  "  f['a/dangling'] = h5py.SoftLink('/nowhere')\n"
                  "  f.create_dataset('c', (4, 4), 'i2', chunks=(2, 2), compression='gzip', shuffle=True)",
                  file));
  std::vector<std::string> lines;
  for (const auto& info : list_datasets(file)) {
    std::string line = info.address.path + " " + info.stored_dtype + " " + info.layout;
    for (const auto& filter : info.filters) line += " " + filter;
    lines.push_back(line);
  }
  EXPECT_THAT(lines, ::testing::ElementsAre("/a/x string contiguous", "/b >f4 contiguous",
                                            "/c int16 chunked shuffle deflate 4"));
}

}  // namespace
}  // namespace brim::storage
