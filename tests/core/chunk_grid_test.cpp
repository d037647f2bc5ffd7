#include "brim/chunk_grid.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "brim/error.h"

namespace brim {
namespace {

/// Calls visit(index) for every index below the extents, last axis fastest.
template <typename Visit>
void for_each_index(const Shape& extents, Visit visit) {
  if (element_count(extents) == 0) return;
  Shape index(extents.size(), 0);
  while (true) {
    visit(index);
    std::size_t axis = extents.size();
    while (axis-- > 0) {
      if (++index[axis] < extents[axis]) break;
      index[axis] = 0;
    }
    if (axis == static_cast<std::size_t>(-1)) return;
  }
}

bool contains(const Box& box, const Shape& index) {
  for (std::size_t axis = 0; axis < index.size(); ++axis)
    if (index[axis] < box.start[axis] || index[axis] >= box.stop[axis]) return false;
  return true;
}

std::string describe(const ChunkGrid& grid) { return to_string(grid.shape()) + " in " + to_string(grid.chunk_shape()); }

/// Every grid with up to two axes of 0 - 6 elements and chunks of 1 - 7, and a few with more axes.
std::vector<ChunkGrid> small_grids() {
  std::vector<ChunkGrid> grids = {ChunkGrid({}, {}), ChunkGrid({3, 4, 5}, {2, 4, 3}),
                                  ChunkGrid({2, 1, 3, 2}, {1, 1, 2, 2}),
                                  ChunkGrid(Shape(8, 2), {1, 2, 1, 2, 1, 2, 1, 2})};
  for (std::int64_t a = 0; a <= 6; ++a)
    for (std::int64_t chunk_a = 1; chunk_a <= 7; ++chunk_a) {
      grids.emplace_back(Shape{a}, Shape{chunk_a});
      for (std::int64_t b = 0; b <= 4; ++b)
        for (std::int64_t chunk_b = 1; chunk_b <= 5; ++chunk_b)
          grids.emplace_back(Shape{a, b}, Shape{chunk_a, chunk_b});
    }
  return grids;
}

TEST(ChunkGrid, CoversEveryElementExactlyOnce) {
  for (const auto& grid : small_grids()) {
    std::vector<Box> boxes;
    std::int64_t covered = 0;
    for (std::int64_t chunk = 0; chunk < grid.chunk_count(); ++chunk) {
      boxes.push_back(grid.box(chunk));
      ASSERT_FALSE(boxes.back().empty()) << describe(grid);
      covered += element_count(boxes.back().shape());
    }
    ASSERT_EQ(covered, element_count(grid.shape())) << describe(grid);
    for_each_index(grid.shape(), [&](const Shape& index) {
      int holders = 0;
      for (const auto& box : boxes) holders += contains(box, index);
      ASSERT_EQ(holders, 1) << describe(grid) << " at " << to_string(index);
    });
  }
}

TEST(ChunkGrid, NumbersItsChunksInCOrder) {
  for (const auto& grid : small_grids()) {
    std::int64_t expected = 0;
    for_each_index(grid.counts(), [&](const Shape& coordinates) {
      ASSERT_EQ(grid.index(coordinates), expected) << describe(grid);
      ASSERT_EQ(grid.coordinates(expected), coordinates) << describe(grid);
      ++expected;
    });
    ASSERT_EQ(grid.chunk_count(), expected) << describe(grid);
  }
}

TEST(ChunkGrid, FindsTheChunksThatTouchARegion) {
  for (const auto& grid : small_grids()) {
    if (grid.rank() != 1) continue;
    for (std::int64_t start = 0; start <= grid.shape()[0]; ++start)
      for (std::int64_t stop = start; stop <= grid.shape()[0]; ++stop) {
        const Box region{{start}, {stop}};
        const Box chunks = grid.chunks_touching(region);
        for (std::int64_t chunk = 0; chunk < grid.chunk_count(); ++chunk)
          ASSERT_EQ(contains(chunks, {chunk}), !intersect(grid.box(chunk), region).empty())
              << describe(grid) << " region " << to_string(region) << " chunk " << chunk;
      }
  }
}

TEST(ChunkGrid, FindsTouchedChunksOnEveryAxisAndNoneForAnEmptyRegion) {
  const ChunkGrid grid({10, 20}, {3, 6});
  EXPECT_EQ(grid.chunks_touching({{2, 6}, {4, 13}}), (Box{{0, 1}, {2, 3}}));
  EXPECT_TRUE(grid.chunks_touching({{2, 6}, {2, 13}}).empty());
  EXPECT_EQ(ChunkGrid({}, {}).chunks_touching({{}, {}}), (Box{{}, {}}));
}

TEST(ChunkGrid, CutsChunksAtTheUpperEdge) {
  const ChunkGrid grid({10, 7}, {4, 7});
  EXPECT_EQ(grid.counts(), (Shape{3, 1}));
  EXPECT_EQ(grid.box(2), (Box{{8, 0}, {10, 7}}));
}

TEST(ChunkGrid, CutsAChunkLargerThanItsDimension) {
  const ChunkGrid grid({3, 0}, {100, 9});
  EXPECT_EQ(grid.chunk_shape(), (Shape{3, 1}));
  EXPECT_EQ(grid, ChunkGrid({3, 0}, {3, 1}));
}

TEST(ChunkGrid, OfNoElementsHasNoChunksAndOfNoAxesHasOne) {
  EXPECT_EQ(ChunkGrid({4, 0}, {2, 2}).chunk_count(), 0);
  const ChunkGrid scalar({}, {});
  EXPECT_EQ(scalar.chunk_count(), 1);
  EXPECT_EQ(scalar.box(0), (Box{{}, {}}));
  EXPECT_EQ(ChunkGrid().chunk_count(), 1);
}

TEST(ChunkGrid, RefusesWhatIsNoGrid) {
  EXPECT_THROW(ChunkGrid({3, 4}, {2}), UsageError);
  EXPECT_THROW(ChunkGrid({3}, {0}), UsageError);
  EXPECT_THROW(ChunkGrid({3}, {-1}), UsageError);
  EXPECT_THROW(ChunkGrid({-3}, {1}), UsageError);
  EXPECT_THROW(ChunkGrid(Shape(kMaxRank + 1, 1), Shape(kMaxRank + 1, 1)), UsageError);
  EXPECT_NO_THROW(ChunkGrid(Shape(kMaxRank, 1), Shape(kMaxRank, 1)));
}

TEST(ChunkGrid, OfHugeShapesCountsWithoutOverflow) {
  const std::int64_t huge = std::int64_t{1} << 61;
  const ChunkGrid grid({huge}, {huge - 1});
  EXPECT_EQ(grid.chunk_count(), 2);
  EXPECT_EQ(grid.box(1), (Box{{huge - 1}, {huge}}));
}

TEST(ChunkGrid, RefusesMoreElementsThanCanBeCounted) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_THROW(ChunkGrid({kMost}, {kMost}), UsageError);
  EXPECT_THROW(ChunkGrid({kMost}, {1}), UsageError);
  EXPECT_THROW(ChunkGrid({std::int64_t{1} << 40, std::int64_t{1} << 40}, {1 << 20, 1 << 20}), UsageError);
  EXPECT_EQ(ChunkGrid({10}, {kMost}).chunk_count(), 1);
}

TEST(ChunkGrid, RefusesChunkNumbersOutOfRange) {
  const ChunkGrid grid({4}, {2});
  EXPECT_THROW(grid.box(2), InternalError);
  EXPECT_THROW(grid.coordinates(-1), InternalError);
  EXPECT_THROW(grid.chunks_touching({{0, 0}, {1, 1}}), InternalError);
}

}  // namespace
}  // namespace brim
