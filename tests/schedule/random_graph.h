#pragma once

#include <cstdlib>
#include <random>

#include "explicit_graph.h"

namespace brim::schedule {

/// How many graphs a test draws: this many in CI, BRIM_GRAPH_FACTOR times as many in the nightly preset.
inline std::uint64_t graphs(std::uint64_t in_ci) {
  const char* factor = std::getenv("BRIM_GRAPH_FACTOR");
  return factor == nullptr ? in_ci : in_ci * std::strtoull(factor, nullptr, 10);
}

inline std::int64_t draw(std::mt19937_64& random, std::int64_t from, std::int64_t to) {
  return from + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(to - from + 1));
}

/// Layers of tasks with random memory; every task depends on a few of some earlier ops, by neighbourhood, by stride (as
/// a transposition does) or at random.
inline ExplicitGraph random_graph(std::mt19937_64& random) {
  ExplicitGraph graph;
  const auto ops = draw(random, 1, 6);
  for (OpIndex op = 0; op < ops; ++op) {
    std::vector<TaskMemory> tasks(static_cast<std::size_t>(draw(random, 0, draw(random, 1, 24))));
    const bool resident = op + 1 < ops && draw(random, 0, 3) > 0;
    const auto scale = draw(random, 0, 2) == 0 ? 100'000 : 5'000;
    for (auto& memory : tasks) memory = {Bytes(draw(random, 0, scale)), Bytes(resident ? draw(random, 0, 20'000) : 0)};
    graph.add_op(tasks, draw(random, 0, 5) == 0 ? draw(random, 1, 3) : 0);
    if (op == 0 || draw(random, 0, 4) == 0) continue;
    const auto sources = draw(random, 1, 2);
    std::set<std::pair<std::int64_t, TaskId>> edges;
    for (std::int64_t s = 0; s < sources; ++s) {
      const auto from = static_cast<OpIndex>(draw(random, std::max<std::int64_t>(0, op - 3), op - 1));
      const auto count = graph.task_count(from);
      if (count == 0) continue;
      const auto fan_in = draw(random, 1, std::min<std::int64_t>(count, draw(random, 1, 12)));
      const auto kind = draw(random, 0, 2);
      const auto size = static_cast<std::int64_t>(tasks.size());
      for (std::int64_t i = 0; i < size; ++i)
        for (std::int64_t j = 0; j < fan_in; ++j) {
          const auto source = kind == 0 ? i * count / size + j : kind == 1 ? i + j * size : draw(random, 0, count - 1);
          edges.insert({i, TaskId{from, source % count}});
        }
    }
    for (const auto& [index, source] : edges) graph.depend({op, index}, source);
  }
  graph.seal();
  return graph;
}

}  // namespace brim::schedule
