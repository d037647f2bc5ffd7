#include "schedule/reclaimer.h"

#include <algorithm>

#include "core/check.h"

namespace brim::schedule {

Bytes room_for_more(const RunState& state, const ReadyTask& task, std::int64_t tasks) {
  // Busy workers give only between tasks: where the pool grows step by step, waiting for each would take as many tasks.
  const auto more = std::min(state.worker_limit_for(task.task.op) - state.workers.count(), tasks);
  const auto one = state.workers.reserved() + task.memory.temporary + charged_block(task.memory.resident);
  return one * std::max<std::int64_t>(0, more);
}

void Reclaimer::make_room(Bytes growth, Bytes block) {
  auto& ledger = state_.ledger;
  const auto missing = [&] {
    return growth + (block > Bytes(0) && ledger.can_reuse(block) ? Bytes(0) : block) - ledger.free();
  };
  // A release may take the very block that was to be used again, so look again after each.
  for (auto wanted = missing(); wanted > Bytes(0); wanted = missing()) {
    const auto released = ledger.release_cached(wanted);
    check(released > Bytes(0), "a task was admitted without room");
    actions_.emplace_back(ReleaseCached{wanted});
  }
}

void Reclaimer::make_idle_give(const ReadyTask& task) {
  auto& workers = state_.workers;
  const auto grant = task.memory.temporary;
  const auto keep = workers.find_idle(grant);
  const auto growth = keep ? std::max(Bytes(0), grant - workers.at(*keep).held) : workers.reserved() + grant;
  auto missing = growth + charged_block(task.memory.resident) - state_.ledger.free_without_cache() -
                 workers.stopping_bytes() - idle_in_flight(keep);
  if (missing <= Bytes(0)) return;
  missing -= stop_idle(missing, keep);
  missing -= trim_idle(missing, keep);
  if (missing <= Bytes(0) || !keep) return;
  const auto& kept = workers.at(*keep);
  if (kept.held > grant && kept.excess() > Bytes(0)) missing -= trim(*keep, std::min(missing, kept.held - grant));
  // What it keeps after a trim is in the way: another one takes its place.
  if (missing > Bytes(0) && !kept.trim_to) stop_idle(missing, std::nullopt);
}

void Reclaimer::make_busy_give(const ReadyTask& task, Bytes missing) {
  const auto& workers = state_.workers;
  // Where one of them could run the task next, it costs less to wait for that one than to move memory to and fro.
  const bool suits = std::any_of(workers.loose().begin(), workers.loose().end(),
                                 [&](WorkerNumber number) { return workers.at(number).held >= task.memory.temporary; });
  auto in_flight = workers.trimming_bytes() - idle_in_flight(std::nullopt);
  if (!suits && missing > in_flight) in_flight += trim_busy(missing - in_flight, Bytes(0));
  const auto wanted = missing + room_for_more(state_, task, state_.frontier.ready_count() - 1);
  if (wanted > in_flight) trim_busy(wanted - in_flight, largest_grant_left());
}

void Reclaimer::shrink_to_budget() {
  auto& ledger = state_.ledger;
  const auto over = Bytes(0) - ledger.free();
  if (over <= Bytes(0)) return;
  if (ledger.totals().cached > Bytes(0)) {
    ledger.release_cached(over);
    actions_.emplace_back(ReleaseCached{over});
  }
  auto missing = Bytes(0) - ledger.free() - state_.workers.stopping_bytes() - state_.workers.trimming_bytes();
  missing -= trim_idle(missing, std::nullopt);
  missing -= trim_busy(missing, Bytes(0));
  if (missing > Bytes(0) && !state_.options.fixed_pool) stop_idle(missing, std::nullopt);
}

void Reclaimer::trim_before(WorkerNumber number, const ReadyTask& task) {
  const auto& workers = state_.workers;
  const auto& worker = workers.at(number);
  const auto keep = std::max(task.memory.temporary, worker.floor);
  if (state_.options.fixed_pool || worker.trim_to) return;
  if (worker.held <= keep) {
    if (worker.kept_seconds > 0) state_.workers.change(number, [](Worker& used) { used.kept_seconds = 0; });
    return;
  }
  const auto idle_others = workers.idle_count() - (worker.state == WorkerState::kIdle ? 1 : 0);
  const auto wanted = room_for_more(state_, task, state_.frontier.ready_count() - idle_others);
  const auto missing = wanted - state_.ledger.free_without_cache() - workers.trimming_bytes();
  if (missing <= Bytes(0)) return;
  const auto later = std::min(worker.held, std::max(keep, largest_grant_left()));
  const auto least = missing > worker.held - later && is_outweighed(number, task, later - keep) ? keep : later;
  if (worker.held > least) send_trim(number, std::max(least, worker.held - missing));
}

/// Counts what others cannot do while the worker runs the task, because of `kept` bytes that only larger tasks need.
/// Once that is worth as much as touching the memory again, keeping it was wrong: so it costs at most twice what the
/// better of the two choices would have (the ski rental problem).
bool Reclaimer::is_outweighed(WorkerNumber number, const ReadyTask& task, Bytes kept) {
  const auto seconds = state_.typical_seconds(task.task.op);
  const auto one = state_.workers.reserved() + task.memory.temporary + charged_block(task.memory.resident);
  const auto others = std::min(state_.worker_limit_for(task.task.op) - state_.workers.count(),
                               std::max<std::int64_t>(1, kept.count() / std::max<std::int64_t>(1, one.count())));
  const auto lost = state_.workers.at(number).kept_seconds + static_cast<double>(others) * seconds;
  const auto touch = static_cast<double>(kept.count()) * 0x1p-30 * state_.options.touch_seconds_per_gibibyte;
  const bool outweighed = seconds <= 0 || lost >= touch;
  state_.workers.change(number, [&](Worker& worker) { worker.kept_seconds = outweighed ? 0 : lost; });
  return outweighed;
}

/// By any worker, for any task that is not started.
Bytes Reclaimer::largest_grant_left() const {
  Bytes largest;
  for (std::size_t op = 0; op < state_.facts.size(); ++op) {
    const auto& facts = state_.facts[op];
    const auto started = state_.frontier.done_count(static_cast<OpIndex>(op)) + state_.assigned[op];
    if (started < facts.task_count) largest = std::max(largest, facts.temporary);
  }
  return largest;
}

/// Asks for up to `wanted` bytes. Returns what will be given.
Bytes Reclaimer::trim(WorkerNumber number, Bytes wanted) {
  const auto& worker = state_.workers.at(number);
  const auto gain = std::min(wanted, worker.excess());
  if (gain <= Bytes(0)) return Bytes(0);
  send_trim(number, worker.held - gain);
  return gain;
}

void Reclaimer::send_trim(WorkerNumber number, Bytes keep) {
  state_.workers.change(number, [&](Worker& worker) { worker.trim_to = keep; });
  actions_.emplace_back(TrimWorker{number, keep});
  ++state_.statistics.trims;
}

Bytes Reclaimer::trim_idle(Bytes wanted, std::optional<WorkerNumber> except) {
  std::vector<WorkerNumber> fattest;
  for (auto entry = state_.workers.idle().rbegin(); entry != state_.workers.idle().rend(); ++entry)
    if (entry->second != except) fattest.push_back(entry->second);
  Bytes gained;
  for (const auto number : fattest) {
    if (gained >= wanted) break;
    gained += trim(number, wanted - gained);
  }
  return gained;
}

/// Leaves each `keep`, what its tasks may use, or all that it cannot give.
Bytes Reclaimer::trim_busy(Bytes wanted, Bytes keep) {
  if (state_.options.fixed_pool) return Bytes(0);
  const std::vector<WorkerNumber> loose(state_.workers.loose().begin(), state_.workers.loose().end());
  Bytes gained;
  for (const auto number : loose) {
    if (gained >= wanted) break;
    gained += trim(number, std::min(wanted - gained, state_.workers.at(number).held - keep));
  }
  return gained;
}

/// Stops idle workers as long as trimming the others would not do. Returns what the stopped ones give.
Bytes Reclaimer::stop_idle(Bytes wanted, std::optional<WorkerNumber> except) {
  auto& workers = state_.workers;
  Bytes gained;
  while (wanted - gained > idle_excess(except)) {
    auto victim = workers.idle().rbegin();
    while (victim != workers.idle().rend() && victim->second == except) ++victim;
    if (victim == workers.idle().rend()) break;
    const auto number = victim->second;
    const auto& worker = workers.at(number);
    // What a trim on its way gives was counted already.
    gained += workers.reserved() + (worker.trim_to ? std::min(worker.held, *worker.trim_to) : worker.held);
    workers.change(number, [](Worker& stopped) { stopped.state = WorkerState::kStopping; });
    actions_.emplace_back(StopWorker{number});
    ++state_.statistics.workers_stopped;
  }
  return gained;
}

Bytes Reclaimer::idle_excess(std::optional<WorkerNumber> except) const {
  Bytes sum;
  for (const auto& [held, number] : state_.workers.idle())
    if (number != except) sum += state_.workers.at(number).excess();
  return sum;
}

Bytes Reclaimer::idle_in_flight(std::optional<WorkerNumber> except) const {
  Bytes sum;
  for (const auto& [held, number] : state_.workers.idle()) {
    const auto& worker = state_.workers.at(number);
    if (number != except && worker.trim_to) sum += std::max(Bytes(0), worker.held - *worker.trim_to);
  }
  return sum;
}

}  // namespace brim::schedule
