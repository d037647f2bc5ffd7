// Outputs are whole or absent, leave other data alone, and say what is wrong before anything is computed.

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <set>

#include "storage/storage_errors.h"
#include "storage/write_output.h"

namespace brim::storage {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class OutputFilesTest : public ::testing::Test {
 protected:
  OutputDataset dataset(const std::string& path, int deflate_level = 0) const {
    return output_dataset(file_, path, DType::kInt32, {6, 4}, {2, 3}, deflate_level);
  }
  static std::vector<std::byte> values(unsigned seed = 1) { return random_values(DType::kInt32, {6, 4}, seed); }
  std::vector<std::byte> read(const std::string& path) const { return h5py_values({file_, path}, whole({6, 4})).bytes; }
  std::set<std::string> names() const {
    std::set<std::string> all;
    for (const auto& entry : fs::directory_iterator(directory_.path())) all.insert(entry.path().filename().string());
    return all;
  }
  static std::string content(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  std::string error_of(const std::vector<OutputDataset>& datasets) const {
    return storage_error_of([&] { OutputFiles files(datasets); });
  }
  void make_existing() const {
    run_python(
        fmt::format("with h5py.File('{}', 'w') as f:\n"
                    "  f['kept'] = np.arange(5); f['g/old'] = np.zeros(1000); f['g'].attrs['a'] = 'b'",
                    file_));
  }

  TemporaryDirectory directory_;
  std::string file_ = directory_ / "out.h5";
};

TEST_F(OutputFilesTest, NothingIsThereUntilCommit) {
  for (const int level : {0, 1}) {
    {
      OutputFiles files({dataset("/x", level)});
      std::mt19937 random(1);
      write_regions(files.targets()[0], values(), random);
      assemble_all(files);
      EXPECT_FALSE(fs::exists(file_));
      EXPECT_EQ(names(), std::set<std::string>{".out.h5.brim-partial"});
    }
    EXPECT_TRUE(names().empty()) << "an abandoned run left something behind";
  }
}

TEST_F(OutputFilesTest, AnExistingFileIsUntouchedUntilCommitAndKeepsItsOtherDataSets) {
  for (const int level : {0, 1}) {
    make_existing();
    const auto before = content(file_);
    std::optional<OutputFiles> files(std::in_place, std::vector{dataset("/g/x", level), dataset("/g/old", level)});
    std::mt19937 random(1);
    write_regions(files->targets()[0], values(1), random);
    write_regions(files->targets()[1], values(2), random);
    assemble_all(*files);
    EXPECT_EQ(content(file_), before);
    files->commit();
    EXPECT_EQ(names(), std::set<std::string>{"out.h5"});
    EXPECT_EQ(read("/g/x"), values(1));
    EXPECT_EQ(read("/g/old"), values(2));
    EXPECT_EQ(python_value(fmt::format("h5py.File('{}', 'r')['kept'][:]", file_)).shape, Shape{5});
    EXPECT_TRUE(python_value(fmt::format("h5py.File('{}', 'r')['g'].attrs['a'] == 'b'", file_)).as<bool>()[0]);
  }
}

TEST_F(OutputFilesTest, AnAbandonedRunLeavesAnExistingFileAsItWas) {
  make_existing();
  const auto before = content(file_);
  { const OutputFiles files({dataset("/g/x"), dataset("/g/old", 3)}); }
  EXPECT_EQ(content(file_), before);
  EXPECT_EQ(names(), std::set<std::string>{"out.h5"});
}

TEST_F(OutputFilesTest, ASecondRunWithTheSameOutputIsTurnedAway) {
  const OutputFiles files({dataset("/x")});
  EXPECT_THAT(error_of({dataset("/y")}), HasSubstr("another brim run is writing " + file_));
  EXPECT_EQ(names(), std::set<std::string>{".out.h5.brim-partial"}) << "the first run's file must stay";
}

TEST_F(OutputFilesTest, APartialFileThatADeadRunLeftIsTakenOver) {
  std::ofstream(directory_ / ".out.h5.brim-partial") << "remains of a run that was killed";
  write_output(dataset("/x"), values());
  EXPECT_EQ(read("/x"), values());
  EXPECT_EQ(names(), std::set<std::string>{"out.h5"});
}

TEST_F(OutputFilesTest, TwoOutputsOfOneNameAreRefused) {
  EXPECT_THAT(error_of({dataset("/x"), dataset("/x")}), HasSubstr("two outputs go to " + file_ + ":/x"));
  auto other = dataset("/x");
  other.address.file = (directory_.path() / "." / "out.h5").string();
  EXPECT_THAT(error_of({dataset("/x"), other}), HasSubstr("two outputs go to"));
}

TEST_F(OutputFilesTest, AnOutputInsideAnotherIsRefused) {
  EXPECT_THAT(error_of({dataset("/x"), dataset("/x/y")}), HasSubstr("/x is a data set, not a group"));
  EXPECT_THAT(error_of({dataset("/x/y"), dataset("/x")}), HasSubstr("there is a group of that name"));
  EXPECT_TRUE(names().empty());
}

TEST_F(OutputFilesTest, NamesThatAreTakenInAnExistingFileAreRefused) {
  make_existing();
  EXPECT_THAT(error_of({dataset("/g")}), HasSubstr("there is a group of that name"));
  EXPECT_THAT(error_of({dataset("/kept/x")}), HasSubstr("/kept is a data set, not a group"));
}

TEST_F(OutputFilesTest, LinksIntoOtherFilesAreNotFollowed) {
  const auto other = directory_ / "other.h5";
  run_python(
      fmt::format("with h5py.File('{}', 'w') as f: f['g/y'] = np.arange(3)\n"
                  "with h5py.File('{}', 'w') as f:\n"
                  "  f['away'] = h5py.ExternalLink('other.h5', '/g'); f['y'] = h5py.ExternalLink('other.h5', '/g/y')",
                  other, file_));
  const auto before = content(other);
  EXPECT_THAT(error_of({dataset("/away/x")}), HasSubstr("/away is a link into another file"));
  write_output(dataset("/y"), values());  // the link itself is replaced
  EXPECT_EQ(read("/y"), values());
  EXPECT_EQ(content(other), before);
}

TEST_F(OutputFilesTest, AnExistingFileThatIsNotHdf5IsLeftAlone) {
  std::ofstream(file_) << "CDF\x01 precious";
  EXPECT_THAT(error_of({dataset("/x")}), AllOf(HasSubstr("is not an HDF5 file"), HasSubstr("classic netCDF")));
  EXPECT_EQ(content(file_), "CDF\x01 precious");
  EXPECT_EQ(names(), std::set<std::string>{"out.h5"});
}

TEST_F(OutputFilesTest, ADirectoryThatIsNotThereIsNamed) {
  file_ = directory_ / "no/such/out.h5";
  EXPECT_THAT(error_of({dataset("/x")}),
              AllOf(HasSubstr("there is no directory " + (directory_ / "no/such")), HasSubstr("mkdir -p")));
}

TEST_F(OutputFilesTest, ADirectoryIsNoOutput) {
  fs::create_directory(file_);
  EXPECT_THAT(error_of({dataset("/x")}), HasSubstr("no regular file"));
}

TEST_F(OutputFilesTest, ADirectoryThatMayNotBeWrittenOrEnteredIsRefused) {
  for (const auto mode : {fs::perms{0555}, fs::perms{0000}}) {
    fs::permissions(directory_.path(), mode);
    {
      const AsOrdinaryUser user;
      EXPECT_THAT(error_of({dataset("/x")}), AllOf(HasSubstr("cannot write " + file_), HasSubstr("Permission denied")));
    }
    fs::permissions(directory_.path(), fs::perms::all);
  }
}

TEST_F(OutputFilesTest, AFileThatOthersChangedDuringTheRunIsNotOverwritten) {
  make_existing();
  OutputFiles files({dataset("/x")});
  run_python(fmt::format("with h5py.File('{}', 'a') as f: f['new'] = 1", file_));
  const auto before = content(file_);
  EXPECT_THAT(storage_error_of([&] { files.commit(); }), HasSubstr("was changed by another program"));
  EXPECT_EQ(content(file_), before);
}

TEST_F(OutputFilesTest, KeepsTheModeOfAnExistingFileAndFollowsTheUmaskForANewOne) {
  const auto mode_of = [&] {
    struct stat status {};
    return stat(file_.c_str(), &status) == 0 ? status.st_mode & 07777 : 0;
  };
  const auto mask = umask(027);
  write_output(dataset("/x"), values());
  umask(mask);
  EXPECT_EQ(mode_of(), 0640U);
  chmod(file_.c_str(), 0604);
  write_output(dataset("/y"), values());
  EXPECT_EQ(mode_of(), 0604U);
}

TEST_F(OutputFilesTest, WritesToTheTargetOfASymbolicLink) {
  fs::create_directory(directory_ / "real");
  for (const bool exists : {false, true}) {
    if (!exists) fs::create_symlink("real/data.h5", file_);
    write_output(dataset(exists ? "/y" : "/x"), values());
    EXPECT_TRUE(fs::is_symlink(file_));
    EXPECT_TRUE(fs::is_regular_file(directory_ / "real/data.h5"));
  }
  EXPECT_EQ(read("/x"), values());
  EXPECT_EQ(read("/y"), values());
}

TEST_F(OutputFilesTest, OldFilesOfEveryFormatVersionTakeNewDataSets) {
  for (const std::string options : {"libver='earliest'", "libver='latest'", "userblock_size=2048"})
    for (const int level : {0, 1}) {
      run_python(fmt::format("with h5py.File('{}', 'w', {}) as f: f['kept'] = np.arange(5)", file_, options));
      write_output(dataset("/g/x", level), values());
      EXPECT_EQ(read("/g/x"), values()) << options;
      EXPECT_EQ(read_region(open_source({file_, "/g/x"}, {}), whole({6, 4})), values()) << options;
      EXPECT_EQ(h5py_values({file_, "/kept"}, whole({5})).shape, Shape{5});
    }
}

TEST_F(OutputFilesTest, EqualRunsMakeEqualFiles) {
  for (const int level : {0, 1}) {
    std::set<std::string> contents;
    for (int run = 0; run < 2; ++run) {
      write_output(dataset("/g/x", level), values());
      contents.insert(content(file_));
      fs::remove(file_);
    }
    EXPECT_EQ(contents.size(), 1U);
  }
}

TEST_F(OutputFilesTest, ChunksThatHdf5CannotHoldAreRefused) {
  const auto huge = output_dataset(file_, "/x", DType::kFloat64, {1 << 20, 1 << 20}, {1 << 15, 1 << 15}, 1);
  EXPECT_THAT(error_of({huge}), AllOf(HasSubstr("8 GiB"), HasSubstr("4 GiB a chunk")));
}

TEST_F(OutputFilesTest, AttributesAndNamesOfAxesComeFromTheSource) {
  const auto source = directory_ / "source.h5";
  run_python(
      fmt::format("with h5py.File('{}', 'w') as f:\n"
                  "  f.attrs['title'] = 'all of it'\n"
                  "  d = f.create_dataset('g/t', data=np.zeros((6, 4), 'i2')); f['g'].attrs['n'] = 5\n"
                  "  d.attrs.update(units='K', valid_range=np.array([1., 2.]), _FillValue=np.int16(1),\n"
                  "                 scale_factor=2.0, add_offset=1.0, missing_value=np.int16(3),\n"
                  "                 names=['a', 'bc'], flag=True, fixed=np.bytes_('xyz'))\n"
                  "  f['lat'] = np.arange(6); f['lat'].make_scale(); d.dims[0].attach_scale(f['lat'])",
                  source));
  for (const int level : {0, 1}) {
    auto output = dataset("/g/x", level);
    output.attributes_from = DatasetAddress{source, "/g/t"};
    output.dimension_names = {"lat", "lon"};
    write_output(output, values());
    run_python(
        fmt::format("with h5py.File('{}', 'r') as f:\n"
                    "  d = f['g/x']; a = dict(d.attrs)\n"
                    "  assert f.attrs['title'] == 'all of it' and f['g'].attrs['n'] == 5\n"
                    "  assert a['units'] == 'K' and list(a['valid_range']) == [1, 2] and a['fixed'] == b'xyz'\n"
                    "  assert list(a['names']) == ['a', 'bc'] and a['flag'] == True\n"
                    "  assert not set(a) & set(['_FillValue', 'scale_factor', 'add_offset', 'missing_value'])\n"
                    "  assert [x.label for x in d.dims] == ['lat', 'lon'], [x.label for x in d.dims]",
                    file_));
    EXPECT_THAT(open_source(output.address, {}).info.dimension_names, ElementsAre("lat", "lon"));
    fs::remove(file_);
  }
}

TEST_F(OutputFilesTest, DimensionScalesOfTheSourceAreCopiedOnceAndAttached) {
  const auto source = directory_ / "source.h5";
  run_python(
      fmt::format("with h5py.File('{}', 'w') as f:\n"
                  "  d = f.create_dataset('t', data=np.zeros((6, 4)))\n"
                  "  for axis, (name, n) in enumerate((('lat', 6), ('lon', 4))):\n"
                  "    f[name] = np.arange(n) * 2.5; f[name].make_scale(name); f[name].attrs['units'] = 'degrees'\n"
                  "    f[name].attrs['_Netcdf4Dimid'] = np.int32(axis)\n"
                  "    d.dims[axis].attach_scale(f[name])",
                  source));
  for (const int level : {0, 1}) {
    for (const std::string path : {"/g/y", "/g/x", "/g/y"}) {  // the last one replaces the first
      auto output = dataset(path, level);
      output.attributes_from = DatasetAddress{source, "/t"};
      output.dimension_names = {"lat", "lon"};
      write_output(output, values());
    }
    run_python(
        fmt::format("with h5py.File('{}', 'r') as f:\n"
                    "  for name in 'xy':\n"
                    "    d = f['g'][name]\n"
                    "    assert [x[0].name for x in d.dims] == ['/g/lat', '/g/lon']\n"
                    "    assert list(d.dims[0][0][:]) == [0, 2.5, 5, 7.5, 10, 12.5]\n"
                    "    assert d.dims[1][0].attrs['units'] == 'degrees' and h5py.h5ds.is_scale(f['g/lat'].id)\n"
                    "  users = [(f[r].name, int(i)) for r, i in f['g/lon'].attrs['REFERENCE_LIST']]\n"
                    "  assert users == [('/g/x', 1), ('/g/y', 1)], users\n"
                    "  assert '_Netcdf4Dimid' not in f['g/lat'].attrs and 'DIMENSION_LABELS' not in f['g/x'].attrs",
                    file_));
    fs::remove(file_);
  }
}

TEST_F(OutputFilesTest, AnOutputThatHasANameOfADimensionScaleKeepsIt) {
  const auto source = directory_ / "source.h5";
  run_python(
      fmt::format("with h5py.File('{}', 'w') as f:\n"
                  "  d = f.create_dataset('t', data=np.zeros((6, 4)))\n"
                  "  for axis, name in enumerate(('y', 'x')):\n"
                  "    f[name] = np.arange(6 - 2 * axis); f[name].make_scale(name); d.dims[axis].attach_scale(f[name])",
                  source));
  auto output = dataset("/x");
  output.attributes_from = DatasetAddress{source, "/t"};
  write_output(output, values());
  EXPECT_EQ(read("/x"), values());
  EXPECT_FALSE(python_value(fmt::format("'y' in h5py.File('{}', 'r')", file_)).as<bool>()[0]);
}

TEST_F(OutputFilesTest, TargetsTravelInArchives) {
  auto output = dataset("/x", 1);
  output.attributes_from = DatasetAddress{"s.h5", "/s"};
  output.dimension_names = {"a", "b"};
  run_python(fmt::format("h5py.File('{}', 'w').close()", directory_ / "s.h5"));
  OutputTarget target{output, "/tmp/p", "/tmp/e", "/proc/1/fd/2", 4096};
  ArchiveWriter writer;
  target.put(writer);
  ArchiveReader reader(writer.bytes());
  const auto again = OutputTarget::get(reader);
  EXPECT_TRUE(reader.done());
  EXPECT_EQ(again.dataset.address, output.address);
  EXPECT_EQ(again.dataset.dtype, output.dtype);
  EXPECT_EQ(again.dataset.grid, output.grid);
  EXPECT_EQ(again.dataset.deflate_level, 1);
  EXPECT_EQ(again.dataset.dimension_names, output.dimension_names);
  EXPECT_EQ(again.dataset.attributes_from, output.attributes_from);
  EXPECT_EQ(again.partial_file, "/tmp/p");
  EXPECT_EQ(again.existing_file, "/tmp/e");
  EXPECT_EQ(again.staging_file, "/proc/1/fd/2");
  EXPECT_EQ(again.slot_bytes, 4096);
}

}  // namespace
}  // namespace brim::storage
