#include "schedule/copies.h"

namespace brim::schedule {

std::optional<WorkerNumber> Copies::take_other(TaskId task, WorkerNumber worker) {
  const auto found = pairs_.find(task);
  if (found == pairs_.end()) return std::nullopt;
  const auto [original, backup] = found->second;
  pairs_.erase(found);
  return worker == original ? backup : original;
}

std::optional<Copies::Block> Copies::take_abandoned(WorkerNumber worker) {
  const auto found = abandoned_.find(worker);
  if (found == abandoned_.end()) return std::nullopt;
  const auto block = found->second;
  abandoned_.erase(found);
  return block;
}

}  // namespace brim::schedule
