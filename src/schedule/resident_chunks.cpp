#include "schedule/resident_chunks.h"

#include "core/check.h"

namespace brim::schedule {

void ResidentChunks::add(TaskId task, Bytes charged) {
  if (charged == Bytes(0)) return;
  const bool added = chunks_.emplace(task, Chunk{charged}).second;
  check(added, "a task makes its resident chunk twice");
  total_ += charged;
}

Bytes ResidentChunks::remove(TaskId task) {
  const auto found = chunks_.find(task);
  if (found == chunks_.end()) return Bytes(0);
  const auto charged = found->second.charged;
  total_ -= charged;
  if (found->second.in_order) in_order_ -= charged;
  chunks_.erase(found);
  return charged;
}

void ResidentChunks::set_dependents(TaskId task, std::int64_t dependents) {
  if (const auto found = chunks_.find(task); found != chunks_.end()) found->second.dependents = dependents;
}

bool ResidentChunks::release(TaskId task) {
  const auto found = chunks_.find(task);
  if (found == chunks_.end()) return false;
  check(found->second.dependents > 0, "a resident chunk has more dependents than it had");
  return --found->second.dependents == 0;
}

void ResidentChunks::mark_in_order(TaskId task) {
  const auto found = chunks_.find(task);
  if (found == chunks_.end() || found->second.in_order) return;
  found->second.in_order = true;
  in_order_ += found->second.charged;
}

Bytes ResidentChunks::extras(const std::optional<TaskId>& lead) const {
  Bytes extras = total_ - in_order_;
  if (!lead) return extras;
  if (const auto found = chunks_.find(*lead); found != chunks_.end()) extras -= found->second.charged;
  return extras;
}

}  // namespace brim::schedule
