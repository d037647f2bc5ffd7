#include "schedule/sequential_walk.h"

#include <gtest/gtest.h>

#include "random_graph.h"

namespace brim::schedule {
namespace {

std::vector<TaskId> walk_all(const ExplicitGraph& graph) {
  const auto facts = facts_of(graph);
  TaskBits passed(facts);
  std::vector<TaskId> order;
  for (const auto op : sequential_entries(facts)) {
    SequentialWalk walk(graph, facts, op);
    while (const auto task = walk.find_current(passed)) {
      order.push_back(*task);
      passed.set(*task);
    }
    EXPECT_TRUE(walk.exhausted());
  }
  return order;
}

TEST(SequentialWalk, PutsWhatATaskReadsBeforeIt) {
  ExplicitGraph graph;
  graph.add_op(4, Bytes(1));
  graph.add_op(2, Bytes(1));
  graph.depend({1, 0}, {0, 3});
  graph.depend({1, 0}, {0, 1});
  graph.depend({1, 1}, {0, 0});
  graph.seal();
  const std::vector<TaskId> expected{{0, 3}, {0, 1}, {1, 0}, {0, 0}, {1, 1}, {0, 2}};
  EXPECT_EQ(walk_all(graph), expected);
}

TEST(SequentialWalk, OfARandomGraphIsTheSequentialOrder) {
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    std::mt19937_64 random(seed);
    const auto graph = random_graph(random);
    ASSERT_EQ(walk_all(graph), graph.sequential_order()) << "seed " << seed;
  }
}

TEST(SequentialWalk, TellsWhatTheCurrentTaskDependsOn) {
  ExplicitGraph graph;
  graph.add_op(2, Bytes(1));
  graph.add_op(1, Bytes(1));
  graph.depend({1, 0}, {0, 0});
  graph.depend({1, 0}, {0, 1});
  graph.seal();
  const auto facts = facts_of(graph);
  TaskBits passed(facts);
  SequentialWalk walk(graph, facts, 1);
  EXPECT_EQ(walk.find_current(passed), (TaskId{0, 0}));
  EXPECT_TRUE(walk.dependencies().empty());
  passed.set({0, 0});
  passed.set({0, 1});
  EXPECT_EQ(walk.find_current(passed), (TaskId{1, 0}));
  EXPECT_EQ(walk.dependencies().size(), 2U);
}

TEST(TaskBits, KeepOpsApart) {
  TaskBits bits({OpFacts{63}, OpFacts{0}, OpFacts{130}});
  bits.set({0, 62});
  bits.set({2, 64});
  for (std::int64_t i = 0; i < 63; ++i) EXPECT_EQ(bits.test({0, i}), i == 62);
  for (std::int64_t i = 0; i < 130; ++i) EXPECT_EQ(bits.test({2, i}), i == 64);
}

}  // namespace
}  // namespace brim::schedule
