#include "schedule/worker_table.h"

#include <algorithm>
#include <iterator>

#include "core/check.h"

namespace brim::schedule {
namespace {

template <typename Set, typename Value>
void put(Set& set, const Value& value, bool in) {
  if (in)
    set.insert(value);
  else
    set.erase(value);
}

}  // namespace

Bytes Worker::granted() const {
  return std::max(running ? running->memory.temporary : Bytes(0), queued ? queued->memory.temporary : Bytes(0));
}

Bytes Worker::excess() const {
  if (trim_to || state == WorkerState::kStarting || state == WorkerState::kStopping) return Bytes(0);
  return std::max(Bytes(0), held - std::max(granted(), floor));
}

WorkerNumber WorkerTable::add(Bytes held) {
  Worker worker;
  worker.held = held;
  ledger_->add_worker(reserved_, held);
  index(next_, worker);
  workers_.emplace(next_, worker);
  return next_++;
}

void WorkerTable::remove(WorkerNumber number) {
  const auto& worker = require(number);
  unindex(number, worker);
  ledger_->remove_worker(reserved_, worker.held);
  workers_.erase(number);
}

const Worker& WorkerTable::at(WorkerNumber number) const {
  const auto found = workers_.find(number);
  check(found != workers_.end(), "an event about a worker that does not live");
  return found->second;
}

Worker& WorkerTable::require(WorkerNumber number) { return const_cast<Worker&>(at(number)); }

std::optional<WorkerNumber> WorkerTable::find_idle(Bytes grant) const {
  if (idle_.empty()) return std::nullopt;
  const auto enough = idle_.lower_bound({grant, 0});
  return enough != idle_.end() ? enough->second : idle_.rbegin()->second;
}

std::optional<WorkerNumber> WorkerTable::find_leaner_idle(Bytes grant) const {
  const auto enough = idle_.lower_bound({grant, 0});
  if (enough == idle_.begin()) return std::nullopt;
  return std::prev(enough)->second;
}

void WorkerTable::count_in(WorkerNumber number, const Worker& worker, bool in) {
  const std::int64_t sign = in ? 1 : -1;
  cores_ += worker.cores() * sign;
  if (worker.state == WorkerState::kStarting && worker.running) awaited_count_ += sign;
  if (worker.state == WorkerState::kIdle) {
    put(idle_, std::pair(worker.held, number), in);
    idle_held_ += worker.held * sign;
  } else if (worker.state == WorkerState::kStopping) {
    stopping_count_ += sign;
    stopping_bytes_ += (reserved_ + worker.held) * sign;
  } else if (worker.state == WorkerState::kBusy) {
    if (!worker.queued) put(open_, std::pair(worker.busy_since, number), in);
    if (worker.excess() > Bytes(0)) put(loose_, number, in);
  }
  if (worker.trim_to && worker.state != WorkerState::kStopping)
    trimming_bytes_ += std::max(Bytes(0), worker.held - std::max(*worker.trim_to, worker.granted())) * sign;
}

}  // namespace brim::schedule
