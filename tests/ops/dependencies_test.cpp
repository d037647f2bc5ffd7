#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "ops/physical_op.h"

namespace brim::ops {
namespace {

using Random = std::mt19937;

std::int64_t pick(Random& random, std::int64_t low, std::int64_t high) {
  return std::uniform_int_distribution<std::int64_t>(low, high)(random);
}

ChunkGrid random_grid(Random& random, int rank, std::int64_t most) {
  Shape shape;
  Shape chunk;
  for (int axis = 0; axis < rank; ++axis) {
    shape.push_back(pick(random, 1, most));
    chunk.push_back(pick(random, 1, most));
  }
  return {shape, chunk};
}

/// A random loop over a random slice of an input of random chunks.
PhysicalOp random_reader(Random& random) {
  const int rank = static_cast<int>(pick(random, 0, 3));
  const auto input = random_grid(random, rank, 12);
  Shape loop_shape;
  Shape loop_chunk;
  IndexMap map;
  for (int axis = 0; axis < rank; ++axis) {
    const auto extent = input.shape()[static_cast<std::size_t>(axis)];
    if (pick(random, 0, 3) == 0) {
      map.push_back({-1, pick(random, 0, extent - 1), 1});
      continue;
    }
    const auto step = pick(random, 1, 3) * (pick(random, 0, 1) == 0 ? 1 : -1);
    const auto first = pick(random, 0, extent - 1);
    const auto room = step > 0 ? extent - 1 - first : first;
    map.push_back({static_cast<std::int32_t>(loop_shape.size()), first, step});
    loop_shape.push_back(pick(random, 1, room / std::abs(step) + 1));
    loop_chunk.push_back(pick(random, 1, 5));
  }
  if (pick(random, 0, 2) == 0) {  // an axis that repeats the input
    loop_shape.push_back(pick(random, 1, 4));
    loop_chunk.push_back(pick(random, 1, 4));
  }
  Traversal traversal;
  traversal.loop = ChunkGrid(loop_shape, loop_chunk);
  traversal.inputs.push_back({ResidentInput{7, 0, {{input, DType::kFloat64}}}, DType::kFloat64, map});
  return {"reader", traversal, {}};
}

const ChunkGrid& input_grid(const PhysicalOp& op) {
  return std::get<ResidentInput>(std::get<Traversal>(op.detail).inputs.front().from).chunks().grid;
}

TEST(Dependencies, of_a_traversal_are_the_chunks_that_its_elements_lie_in) {
  Random random(20);
  for (int round = 0; round < 500; ++round) {
    const auto op = random_reader(random);
    const auto& traversal = std::get<Traversal>(op.detail);
    const auto& map = traversal.inputs.front().map;
    const auto& grid = input_grid(op);
    for (std::int64_t task = 0; task < op.task_count(); ++task) {
      const auto found = dependencies(op, task);
      const Box box = traversal.loop.box(task);
      const ChunkGrid elements(box.shape(), Shape(box.start.size(), 1));
      for (std::int64_t i = 0; i < elements.chunk_count(); ++i) {
        const auto offset = elements.coordinates(i);
        Shape chunk;
        for (std::size_t axis = 0; axis < map.size(); ++axis) {
          auto at = map[axis].start;
          if (map[axis].loop_axis >= 0) {
            const auto a = static_cast<std::size_t>(map[axis].loop_axis);
            at += map[axis].step * (box.start[a] + offset[a]);
          }
          chunk.push_back(at / grid.chunk_shape()[axis]);
        }
        const Dependency wanted{7, grid.index(chunk)};
        ASSERT_TRUE(std::binary_search(found.begin(), found.end(), wanted)) << "seed 20, round " << round;
      }
    }
  }
}

TEST(Dependents, are_the_inverse_of_dependencies) {
  Random random(21);
  for (int round = 0; round < 2000; ++round) {
    const auto op = random_reader(random);
    std::vector<std::vector<std::int64_t>> expected(static_cast<std::size_t>(input_grid(op).chunk_count()));
    for (std::int64_t task = 0; task < op.task_count(); ++task)
      for (const auto& dependency : dependencies(op, task))
        expected[static_cast<std::size_t>(dependency.task)].push_back(task);
    for (std::size_t chunk = 0; chunk < expected.size(); ++chunk)
      ASSERT_EQ(dependents(op, 7, static_cast<std::int64_t>(chunk)), expected[chunk]) << "seed 21, round " << round;
    EXPECT_TRUE(dependents(op, 6, 0).empty());
  }
}

TEST(Dependents, of_synthetic_work_cover_the_same_fraction) {
  for (std::int64_t before = 1; before < 12; ++before)
    for (std::int64_t tasks = 1; tasks < 12; ++tasks) {
      Synthetic work;
      work.tasks = tasks;
      work.after = {{3, before}};
      const PhysicalOp op{"work", work, {}};
      std::vector<std::vector<std::int64_t>> expected(static_cast<std::size_t>(before));
      for (std::int64_t task = 0; task < tasks; ++task) {
        const auto found = dependencies(op, task);
        EXPECT_FALSE(found.empty());
        if (before == tasks) {
          EXPECT_EQ(found, (std::vector<Dependency>{{3, task}}));
        }
        if (tasks == 1) {
          EXPECT_EQ(found.size(), static_cast<std::size_t>(before));
        }
        for (const auto& dependency : found) expected[static_cast<std::size_t>(dependency.task)].push_back(task);
      }
      for (std::int64_t i = 0; i < before; ++i)
        EXPECT_EQ(dependents(op, 3, i), expected[static_cast<std::size_t>(i)]) << before << " then " << tasks;
    }
}

TEST(Dependents, of_a_combine_op_partition_the_partials) {
  const ChunkGrid partials({5, 7, 3}, {1, 1, 2});
  Combine combine;
  combine.partials.from = ResidentInput{1, 0, {{partials, DType::kFloat64}}};
  combine.fan_in = {2, 3, 1};
  combine.groups = ChunkGrid({3, 3, 3}, {1, 1, 2});
  const PhysicalOp op{"combine", combine, {}};
  std::vector<int> seen(static_cast<std::size_t>(partials.chunk_count()), 0);
  for (std::int64_t task = 0; task < op.task_count(); ++task)
    for (const auto& dependency : dependencies(op, task)) {
      ++seen[static_cast<std::size_t>(dependency.task)];
      EXPECT_EQ(dependents(op, 1, dependency.task), std::vector<std::int64_t>{task});
    }
  EXPECT_EQ(seen, std::vector<int>(seen.size(), 1));
}

TEST(PhysicalOp, survives_the_archive) {
  Random random(22);
  for (int round = 0; round < 50; ++round) {
    const auto op = random_reader(random);
    ArchiveWriter writer;
    op.put(writer);
    ArchiveReader reader(writer.bytes());
    const auto copy = PhysicalOp::get(reader);
    EXPECT_TRUE(reader.done());
    ArchiveWriter again;
    copy.put(again);
    EXPECT_TRUE(std::equal(writer.bytes().begin(), writer.bytes().end(), again.bytes().begin(), again.bytes().end()));
  }
}

}  // namespace
}  // namespace brim::ops
