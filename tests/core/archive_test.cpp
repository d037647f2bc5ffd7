#include "core/archive.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "brim/dtype.h"

namespace brim {
namespace {

ErrorRecord sample_error() {
  return {ErrorKind::kStorage, "cannot read a.h5:/t2", "check the disk", {"chunk (0, 3, 1)", "op dew-0, task 17"}};
}

/// One of everything that an archive can hold.
std::vector<std::byte> write_sample() {
  ArchiveWriter archive;
  archive.put(true);
  archive.put(std::int8_t{-5});
  archive.put(std::uint64_t{1} << 63);
  archive.put(-0.0);
  archive.put(DType::kFloat32);
  archive.put(mebibytes(3));
  archive.put(std::string("two\nlines and a \0 byte", 22));
  archive.put(Shape{12, 0, 180});
  archive.put(Box{{0, 1}, {2, 3}});
  archive.put(ChunkGrid({10, 7}, {4, 7}));
  archive.put(sample_error());
  archive.put(std::vector<std::byte>{std::byte{1}, std::byte{255}});
  archive.put_all(std::vector<int>{3, 1, 2}, [](ArchiveWriter& inner, int value) { inner.put(value); });
  return archive.take();
}

void read_sample(ArchiveReader& archive) {
  EXPECT_EQ(archive.get<bool>(), true);
  EXPECT_EQ(archive.get<std::int8_t>(), -5);
  EXPECT_EQ(archive.get<std::uint64_t>(), std::uint64_t{1} << 63);
  EXPECT_TRUE(std::signbit(archive.get<double>()));
  EXPECT_EQ(archive.get<DType>(), DType::kFloat32);
  EXPECT_EQ(archive.get_bytes(), mebibytes(3));
  EXPECT_EQ(archive.get_string(), std::string("two\nlines and a \0 byte", 22));
  EXPECT_EQ(archive.get_shape(), (Shape{12, 0, 180}));
  EXPECT_EQ(archive.get_box(), (Box{{0, 1}, {2, 3}}));
  EXPECT_EQ(archive.get_grid(), ChunkGrid({10, 7}, {4, 7}));
  const auto error = archive.get_error();
  EXPECT_EQ(error.kind, sample_error().kind);
  EXPECT_EQ(error.what, sample_error().what);
  EXPECT_EQ(error.hint, sample_error().hint);
  EXPECT_EQ(error.context, sample_error().context);
  EXPECT_EQ(archive.get_blob(), (std::vector<std::byte>{std::byte{1}, std::byte{255}}));
  EXPECT_EQ(archive.get_all<int>([](ArchiveReader& inner) { return inner.get<int>(); }), (std::vector<int>{3, 1, 2}));
}

TEST(Archive, ReadsBackWhatWasWritten) {
  const auto bytes = write_sample();
  ArchiveReader archive(bytes);
  EXPECT_FALSE(archive.done());
  read_sample(archive);
  EXPECT_TRUE(archive.done());
}

TEST(Archive, CutShortAtAnyLengthIsAnErrorAndNeverAWildRead) {
  const auto whole = write_sample();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    // A copy of exactly this length, so that a sanitizer sees a read past its end.
    const std::vector<std::byte> cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
    ArchiveReader archive(cut);
    EXPECT_THROW(read_sample(archive), InternalError) << length << " of " << whole.size() << " bytes";
  }
}

TEST(Archive, WithALengthThatIsALieIsAnError) {
  for (const std::uint64_t count :
       {std::uint64_t{9}, std::uint64_t{1} << 32, std::numeric_limits<std::uint64_t>::max()}) {
    ArchiveWriter writer;
    writer.put(count);
    writer.put(std::uint64_t{0});
    const auto bytes = writer.take();
    EXPECT_THROW(ArchiveReader(bytes).get_string(), InternalError) << count;
    EXPECT_THROW(ArchiveReader(bytes).get_shape(), InternalError) << count;
    EXPECT_THROW(ArchiveReader(bytes).get_blob(), InternalError) << count;
    EXPECT_THROW(ArchiveReader(bytes).get_error(), InternalError) << count;
  }
}

TEST(Archive, OfEmptyValuesIsNotEmpty) {
  ArchiveWriter writer;
  writer.put(std::string());
  writer.put(Shape{});
  writer.put(ChunkGrid());
  const auto bytes = writer.take();
  ArchiveReader archive(bytes);
  EXPECT_EQ(archive.get_string(), "");
  EXPECT_EQ(archive.get_shape(), Shape{});
  EXPECT_EQ(archive.get_grid(), ChunkGrid());
  EXPECT_TRUE(archive.done());
}

}  // namespace
}  // namespace brim
