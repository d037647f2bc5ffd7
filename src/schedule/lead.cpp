#include "schedule/lead.h"

namespace brim::schedule {

Lead::Lead(const TaskGraph& graph, const std::vector<OpFacts>& facts) : passed_(facts) {
  for (const auto op : sequential_entries(facts)) walks_.emplace_back(graph, facts, op);
}

const std::optional<TaskId>& Lead::find_next() {
  task_.reset();
  while (current_ < walks_.size() && !(task_ = walks_[current_].find_current(passed_))) ++current_;
  return task_;
}

}  // namespace brim::schedule
