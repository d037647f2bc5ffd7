#include "schedule/op_facts.h"

#include <algorithm>

#include "schedule/ledger.h"

namespace brim::schedule {

std::vector<OpFacts> facts_of(const TaskGraph& graph, bool overlap) {
  std::vector<OpFacts> facts;
  for (OpIndex op = 0; op < graph.op_count(); ++op)
    facts.push_back({.task_count = graph.task_count(op),
                     .width_limit = graph.width_limit(op),
                     .thread_limit = graph.thread_limit(op),
                     .has_dependencies = graph.has_dependencies(op),
                     .has_dependents = graph.has_dependents(op),
                     .temporary = graph.task_count(op) > 0 ? graph.memory({op, 0}).temporary : Bytes(0),
                     .is_root = !overlap || !graph.has_dependents(op)});
  return facts;
}

Bytes peak_op_by_op(const TaskGraph& graph) {
  const auto count = static_cast<std::size_t>(graph.op_count());
  std::vector<Bytes> resident(count);
  std::vector<Bytes> largest(count);
  std::vector<std::size_t> last_reader(count);
  for (std::size_t op = 0; op < count; ++op) {
    last_reader[op] = op;
    for (std::int64_t index = 0; index < graph.task_count(static_cast<OpIndex>(op)); ++index) {
      const TaskId task{static_cast<OpIndex>(op), index};
      const auto memory = graph.memory(task);
      resident[op] += charged_block(memory.resident);
      largest[op] = std::max(largest[op], memory.temporary);
      graph.visit_dependencies(task, [&](TaskId on) { last_reader[static_cast<std::size_t>(on.op)] = op; });
    }
  }
  Bytes peak;
  for (std::size_t op = 0; op < count; ++op) {
    auto held = largest[op];
    for (std::size_t made = 0; made <= op; ++made)
      if (last_reader[made] >= op) held += resident[made];
    peak = std::max(peak, held);
  }
  return peak;
}

std::vector<OpIndex> sequential_entries(const std::vector<OpFacts>& facts) {
  std::vector<OpIndex> entries;
  const auto count = static_cast<OpIndex>(facts.size());
  const auto is_root = [&](OpIndex op) { return facts[static_cast<std::size_t>(op)].is_root; };
  for (OpIndex op = 0; op < count; ++op)
    if (is_root(op)) entries.push_back(op);
  for (OpIndex op = count - 1; op >= 0; --op)
    if (!is_root(op)) entries.push_back(op);
  return entries;
}

std::size_t root_count(const std::vector<OpFacts>& facts) {
  return static_cast<std::size_t>(
      std::count_if(facts.begin(), facts.end(), [](const OpFacts& op) { return op.is_root; }));
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
