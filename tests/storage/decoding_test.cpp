// Packed values, missing values and names of axes, compared with what the CF conventions (and xarray) make of them.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "storage/h5py_files.h"

namespace brim::storage {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

class DecodingTest : public ::testing::Test {
 protected:
  /// Makes /x from a Python expression and sets attributes by statements about `d`, the data set, and `f`, the file.
  void make(const std::string& values, const std::string& statements) {
    run_python(fmt::format("with h5py.File('{}', 'w') as f:\n  d = f.create_dataset('x', data={})\n  {}", file_, values,
                           statements));
  }
  Source open(bool decode = true) const { return open_source({file_, "/x"}, {decode}); }
  /// The values as doubles.
  std::vector<double> read(const Source& source) const {
    const auto bytes = read_region(source, whole(source.info.shape));
    std::vector<double> values(static_cast<std::size_t>(element_count(source.info.shape)));
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = source.info.dtype == DType::kFloat32
                      ? static_cast<double>(reinterpret_cast<const float*>(bytes.data())[i])
                      : reinterpret_cast<const double*>(bytes.data())[i];
    return values;
  }
  void expect_values(const std::vector<double>& wanted, DType dtype) const {
    const auto source = open();
    EXPECT_EQ(source.info.dtype, dtype);
    EXPECT_EQ(source.info.decoded, source.decoding.active);
    const auto values = read(source);
    ASSERT_EQ(values.size(), wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i)
      EXPECT_TRUE(std::isnan(wanted[i]) ? std::isnan(values[i]) : values[i] == wanted[i])
          << "element " << i << ": " << values[i] << " instead of " << wanted[i];
  }

  TemporaryDirectory directory_;
  std::string file_ = directory_ / "packed.h5";
};

TEST_F(DecodingTest, AFillValueOfFloatsBecomesNan) {
  make("np.array([1, -999, 3], 'f4')", "d.attrs['_FillValue'] = np.float32(-999)");
  expect_values({1, kNan, 3}, DType::kFloat32);
}

TEST_F(DecodingTest, ADoubleFillValueOfFloatsIsComparedInTheirPrecision) {
  make("np.array([1, 1e20], 'f4')", "d.attrs['_FillValue'] = 1e20");
  expect_values({1, kNan}, DType::kFloat32);
}

TEST_F(DecodingTest, SeveralMissingValuesAndAFillValueAllBecomeNan) {
  make("np.array([1, 2, 3, 4], '>f8')", "d.attrs['_FillValue'] = 2.0; d.attrs['missing_value'] = np.array([3.0, 4.0])");
  expect_values({1, kNan, kNan, kNan}, DType::kFloat64);
}

TEST_F(DecodingTest, SmallIntegersWithScaleAloneBecomeFloat32) {
  make("np.array([10, -5], 'i2')", "d.attrs['scale_factor'] = np.array([0.5])");
  expect_values({5, -2.5}, DType::kFloat32);
}

TEST_F(DecodingTest, SmallIntegersWithAnOffsetBecomeFloat64) {
  make("np.array([10, -5, -32768], '>i2')",
       "d.attrs['scale_factor'] = 0.5; d.attrs['add_offset'] = np.array([100.0]); d.attrs['_FillValue'] = "
       "np.int16(-32768)");
  expect_values({105, 97.5, kNan}, DType::kFloat64);
}

TEST_F(DecodingTest, AnOffsetOfZeroIsAnOffset) {
  make("np.array([10], 'i1')", "d.attrs['add_offset'] = 0.0");
  expect_values({10}, DType::kFloat64);
}

TEST_F(DecodingTest, LargeIntegersWithAFillValueBecomeFloat64) {
  make("np.array([7, -1], 'i4')", "d.attrs['_FillValue'] = np.int32(-1)");
  expect_values({7, kNan}, DType::kFloat64);
}

TEST_F(DecodingTest, HalfFloatsAreScaledAsFloat32) {
  make("np.array([1.5, 2], 'f2')", "d.attrs['scale_factor'] = 2.0; d.attrs['missing_value'] = 2.0");
  expect_values({3, kNan}, DType::kFloat32);
}

TEST_F(DecodingTest, UnsignedIntegersStoredAsSignedOnes) {
  make("np.array([-1, 100, -2], 'i1')",
       "d.attrs['_Unsigned'] = 'true'; d.attrs['_FillValue'] = np.int8(-2); d.attrs['scale_factor'] = 2.0");
  expect_values({510, 200, kNan}, DType::kFloat32);
}

TEST_F(DecodingTest, UnsignedWithoutPackingStaysAnInteger) {
  make("np.array([-1, 100], 'i1')", "d.attrs['_Unsigned'] = 'true'");
  const auto source = open();
  EXPECT_EQ(source.info.dtype, DType::kUInt8);
  EXPECT_THAT(read_region(source, whole({2})), ElementsAre(std::byte{255}, std::byte{100}));
}

TEST_F(DecodingTest, DecodingCanBeSwitchedOff) {
  make("np.array([10, -5], 'i2')", "d.attrs['scale_factor'] = 0.5");
  const auto source = open(false);
  EXPECT_EQ(source.info.dtype, DType::kInt16);
  EXPECT_FALSE(source.info.decoded);
  EXPECT_EQ(read_region(source, whole({2})), h5py_values({file_, "/x"}, whole({2})).bytes);
}

TEST_F(DecodingTest, FillValuesThatAreStringsAreIgnored) {
  make("np.array([1, 2], 'f8')", "d.attrs['_FillValue'] = 'none'; d.attrs['missing_value'] = ['a', 'b']");
  expect_values({1, 2}, DType::kFloat64);
  EXPECT_FALSE(open().decoding.active);
}

TEST_F(DecodingTest, TheFillPropertyOfHdf5IsNoMissingValueAndFillsWhatWasNeverWritten) {
  run_python(
      fmt::format("with h5py.File('{}', 'w') as f:\n"
                  "  d = f.create_dataset('x', (5,), 'f4', chunks=(2,), fillvalue=7)\n"
                  "  d[0] = 1",
                  file_));
  expect_values({1, 7, 7, 7, 7}, DType::kFloat32);
}

TEST_F(DecodingTest, ContiguousDataThatWereNeverWrittenAreTheFillValueToo) {
  run_python(fmt::format("with h5py.File('{}', 'w') as f:\n  f.create_dataset('x', (3,), '>f4', fillvalue=7)", file_));
  expect_values({7, 7, 7}, DType::kFloat32);
}

TEST_F(DecodingTest, AFillValueThatIsTheFillPropertyMakesWhatWasNeverWrittenMissing) {
  run_python(
      fmt::format("with h5py.File('{}', 'w') as f:\n"
                  "  d = f.create_dataset('x', (3,), '>i2', chunks=(1,), compression='gzip', fillvalue=-9)\n"
                  "  d[1] = 4; d.attrs['_FillValue'] = np.int16(-9)",
                  file_));
  expect_values({kNan, 4, kNan}, DType::kFloat32);
}

TEST_F(DecodingTest, ReadsPackedValuesOfEveryLayoutAndOrder) {
  for (const std::string options :
       {"", "chunks=(3, 4)", "chunks=(3, 4), compression='gzip', shuffle=True", "chunks=(3, 4), scaleoffset=0"})
    for (const std::string type : {"u1", ">i2", "i4", ">i8"}) {
      run_python(
          fmt::format("v = np.random.default_rng(1).integers(0, 100, (7, 9)).astype('{}')\n"
                      "with h5py.File('{}', 'w') as f:\n"
                      "  d = f.create_dataset('x', data=v{}{})\n"
                      "  d.attrs['scale_factor'] = 0.25; d.attrs['add_offset'] = 3.0\n"
                      "  d.attrs['missing_value'] = np.array([50], '{}')\n"
                      "w = np.where(v == 50, np.nan, v * 0.25 + 3)",
                      type, file_, options.empty() ? "" : ", ", options, type));
      const auto source = open();
      const auto array = python_value("w");
      const auto wanted = array.as<double>();
      const auto bytes = read_region(source, whole({7, 9}));
      const auto* values = reinterpret_cast<const double*>(bytes.data());
      for (std::size_t i = 0; i < wanted.size(); ++i)
        ASSERT_TRUE(std::isnan(wanted[i]) ? std::isnan(values[i]) : values[i] == wanted[i]) << type << " " << options;
    }
}

TEST_F(DecodingTest, AxesAreNamedByTheirDimensionScales) {
  run_python(
      fmt::format("with h5py.File('{}', 'w') as f:\n"
                  "  g = f.create_group('g')\n"
                  "  for n, s in (('lat', 2), ('lon', 3)):\n"
                  "    g[n] = np.arange(s); g[n].make_scale(n)\n"
                  "  d = g.create_dataset('x', (2, 3))\n"
                  "  d.dims[0].attach_scale(g['lat']); d.dims[1].attach_scale(g['lon'])",
                  file_));
  EXPECT_THAT(open_source({file_, "/g/x"}, {}).info.dimension_names, ElementsAre("lat", "lon"));
  EXPECT_THAT(open_source({file_, "/g/lat"}, {}).info.dimension_names, ElementsAre("lat"));
}

TEST_F(DecodingTest, AxesAreNamedByTheirLabels) {
  make("np.zeros((2, 3))", "d.dims[1].label = 'lon'");
  EXPECT_THAT(open().info.dimension_names, ElementsAre("", "lon"));
}

TEST_F(DecodingTest, CoordinatesOfTwoAxesAreNamedByNetcdfsDimensionNumbers) {
  run_python(
      fmt::format("with h5py.File('{}', 'w') as f:\n"
                  "  for i, n in enumerate(('time', 'name')):\n"
                  "    f[n] = np.arange(2); f[n].attrs['_Netcdf4Dimid'] = np.int32(i)\n"
                  "  f['x'] = np.zeros((2, 2)); f['x'].attrs['_Netcdf4Coordinates'] = np.array([1, 0], 'i4')",
                  file_));
  EXPECT_THAT(open().info.dimension_names, ElementsAre("name", "time"));
}

TEST_F(DecodingTest, NamelessAxesHaveNoNames) {
  make("np.zeros((2, 3))", "pass");
  EXPECT_THAT(open().info.dimension_names, IsEmpty());
}

}  // namespace
}  // namespace brim::storage
