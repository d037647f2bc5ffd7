#include "schedule/lead.h"

#include <gtest/gtest.h>

#include "random_graph.h"

namespace brim::schedule {
namespace {

TEST(Lead, IsTheFirstTaskOfTheSequentialOrderThatIsNotDone) {
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937_64 random(seed);
    const auto graph = random_graph(random);
    const auto order = graph.sequential_order();
    const auto facts = facts_of(graph);
    TaskBits done(facts);
    Lead lead(graph, facts);
    std::vector<TaskId> passed;
    // Tasks end in any order that respects dependencies: the earliest few first, with gaps.
    auto left = order;
    while (true) {
      lead.advance(done, [&](TaskId task) { passed.push_back(task); });
      std::size_t k = 0;
      while (k < order.size() && done.test(order[k])) ++k;
      ASSERT_EQ(passed, std::vector<TaskId>(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(k)));
      ASSERT_EQ(lead.task().has_value(), k < order.size());
      if (k == order.size()) break;
      ASSERT_TRUE(lead.is(order[k]));
      std::vector<std::size_t> possible;
      for (std::size_t i = 0; i < left.size() && possible.size() < 10; ++i) {
        bool ready = true;
        graph.visit_dependencies(left[i], [&](TaskId other) { ready = ready && done.test(other); });
        if (ready) possible.push_back(i);
      }
      const auto pick = possible[random() % possible.size()];
      done.set(left[pick]);
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(pick));
    }
  }
}

}  // namespace
}  // namespace brim::schedule
