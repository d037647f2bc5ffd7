#include "schedule/op_facts.h"

#include <algorithm>

namespace brim::schedule {

std::vector<OpFacts> facts_of(const TaskGraph& graph) {
  std::vector<OpFacts> facts;
  for (OpIndex op = 0; op < graph.op_count(); ++op)
    facts.push_back({graph.task_count(op), graph.width_limit(op), graph.thread_limit(op), graph.has_dependencies(op),
                     graph.has_dependents(op)});
  return facts;
}

std::vector<OpIndex> sequential_entries(const std::vector<OpFacts>& facts) {
  std::vector<OpIndex> entries;
  const auto count = static_cast<OpIndex>(facts.size());
  const auto is_root = [&](OpIndex op) { return !facts[static_cast<std::size_t>(op)].has_dependents; };
  for (OpIndex op = 0; op < count; ++op)
    if (is_root(op)) entries.push_back(op);
  for (OpIndex op = count - 1; op >= 0; --op)
    if (!is_root(op)) entries.push_back(op);
  return entries;
}

std::size_t root_count(const std::vector<OpFacts>& facts) {
  return static_cast<std::size_t>(
      std::count_if(facts.begin(), facts.end(), [](const OpFacts& op) { return !op.has_dependents; }));
}

TaskBits::TaskBits(const std::vector<OpFacts>& facts) {
  std::uint64_t count = 0;
  for (const auto& op : facts) {
    first_.push_back(count);
    count += static_cast<std::uint64_t>(op.task_count);
  }
  words_.resize(static_cast<std::size_t>(count / 64 + 1));
}

}  // namespace brim::schedule
