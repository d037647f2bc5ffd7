#include "schedule/frontier.h"

#include <gtest/gtest.h>

#include <set>

#include "brim/error.h"
#include "implicit_graph.h"
#include "random_graph.h"

namespace brim::schedule {
namespace {

std::vector<TaskId> candidates(const Frontier& frontier) {
  std::vector<TaskId> found;
  std::uint64_t order = 0;
  while (const auto* task = frontier.find_candidate(order)) {
    found.push_back(task->task);
    order = task->order + 1;
  }
  return found;
}

TEST(Frontier, BringsUpWhatTheNextResultsNeed) {
  // Op 1 reads op 0 across: task i reads i, i + 4, i + 8.
  ExplicitGraph graph;
  graph.add_op(12, Bytes(1));
  graph.add_op(4, Bytes(1));
  for (std::int64_t i = 0; i < 4; ++i)
    for (std::int64_t j = 0; j < 3; ++j) graph.depend({1, i}, {0, i + 4 * j});
  graph.seal();
  const auto facts = facts_of(graph);
  Frontier frontier(graph, facts);
  frontier.look_ahead(3);
  for (const auto index : {0, 4, 8}) EXPECT_NE(frontier.find_ready({0, index}), nullptr);
  EXPECT_EQ(frontier.ready_count(), 3);
  for (const auto index : {0, 4, 8}) {
    frontier.take({0, index});
    frontier.on_done({0, index});
  }
  frontier.look_ahead(3);
  EXPECT_EQ(candidates(frontier).front(), (TaskId{1, 0})) << "consumers go before producers of later tasks";
}

TEST(Frontier, GroupsReadyTasksByOpAndSize) {
  ExplicitGraph graph;
  graph.add_op(std::vector<TaskMemory>{{Bytes(1000), {}}, {Bytes(1010), {}}, {Bytes(5000), {}}, {Bytes(1005), {}}});
  graph.add_op(2, Bytes(1000));
  graph.seal();
  const auto facts = facts_of(graph);
  Frontier frontier(graph, facts);
  frontier.look_ahead(100);
  EXPECT_EQ(candidates(frontier), (std::vector<TaskId>{{0, 0}, {0, 2}, {1, 0}}));
  frontier.take({0, 0});
  EXPECT_EQ(candidates(frontier), (std::vector<TaskId>{{0, 1}, {0, 2}, {1, 0}}));
}

TEST(Frontier, ATaskPutBackKeepsItsPlace) {
  ExplicitGraph graph;
  graph.add_op(5, Bytes(1000));
  graph.seal();
  const auto facts = facts_of(graph);
  Frontier frontier(graph, facts);
  frontier.look_ahead(100);
  const auto first = frontier.take({0, 0});
  frontier.take({0, 1});
  frontier.put_back(first);
  EXPECT_EQ(candidates(frontier).front(), (TaskId{0, 0}));
}

TEST(Frontier, RefusesToTakeOrEndATaskTwice) {
  ExplicitGraph graph;
  graph.add_op(2, Bytes(1000));
  graph.seal();
  const auto facts = facts_of(graph);
  Frontier frontier(graph, facts);
  frontier.look_ahead(1);
  EXPECT_THROW(frontier.take({0, 1}), InternalError);
  frontier.take({0, 0});
  EXPECT_THROW(frontier.take({0, 0}), InternalError);
  frontier.on_done({0, 0});
  EXPECT_THROW(frontier.on_done({0, 0}), InternalError);
}

TEST(Frontier, LooksNoFurtherAheadThanAsked) {
  const auto graph = fan_in_graph(1'000'000, 8, {Bytes(1), Bytes(1)}, {Bytes(1), Bytes(0)});
  const auto facts = facts_of(graph);
  Frontier frontier(graph, facts);
  frontier.look_ahead(64);
  EXPECT_EQ(frontier.ready_count(), 64);
  frontier.look_ahead(64);
  EXPECT_EQ(frontier.ready_count(), 64);
}

/// Whatever the order in which tasks end: everything becomes ready once, not before its dependencies, and the earliest
/// unfinished task of the sequential order is always ready or taken.
TEST(Frontier, OfARandomGraphGivesEveryTaskOnceAndInTime) {
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937_64 random(seed);
    const auto graph = random_graph(random);
    const auto order = graph.sequential_order();
    const auto facts = facts_of(graph);
    Frontier frontier(graph, facts);
    const auto target = draw(random, 1, 20);
    std::set<TaskId> taken;
    std::vector<TaskId> at_work;
    std::size_t k = 0;
    while (!frontier.all_done()) {
      frontier.look_ahead(target);
      while (frontier.done().test(order[k])) ++k;
      ASSERT_TRUE(taken.contains(order[k]) || frontier.find_ready(order[k]) != nullptr);
      for (const auto task : candidates(frontier)) {
        if (random() % 2 == 0) continue;
        graph.visit_dependencies(task, [&](TaskId other) { ASSERT_TRUE(frontier.done().test(other)); });
        frontier.take(task);
        ASSERT_TRUE(taken.insert(task).second);
        at_work.push_back(task);
      }
      if (at_work.empty()) continue;
      std::swap(at_work.back(), at_work[random() % at_work.size()]);
      frontier.on_done(at_work.back());
      at_work.pop_back();
    }
    ASSERT_EQ(static_cast<std::int64_t>(taken.size()), graph.total());
  }
}

}  // namespace
}  // namespace brim::schedule
