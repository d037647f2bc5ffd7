#include "schedule/dispatcher.h"

#include <algorithm>

#include "core/check.h"
#include "schedule/reclaimer.h"

namespace brim::schedule {
namespace {

/// Ready tasks wanted of each root op: enough to fill every worker and its queue with a choice of sizes.
constexpr std::int64_t kLookAhead = 256;
constexpr std::int64_t kLookAheadPerWorker = 8;

std::size_t at(OpIndex op) { return static_cast<std::size_t>(op); }

}  // namespace

void Dispatcher::dispatch(std::vector<Action>& actions) {
  do {
    state_.frontier.look_ahead(std::max(kLookAhead, kLookAheadPerWorker * state_.workers.count()));
  } while (pass(actions) > 0);
}

std::int64_t Dispatcher::pass(std::vector<Action>& actions) {
  if (state_.ledger.free() < Bytes(0)) {
    Reclaimer(state_, actions).shrink_to_budget();
    return 0;
  }
  head_waits_ = false;
  std::int64_t started = 0;
  const auto lead = state_.lead.task();
  if (const auto* ready = lead ? state_.frontier.find_ready(*lead) : nullptr) {
    const auto outcome = consider(*ready, actions);
    if (outcome == Outcome::kStop) return started;
    if (outcome == Outcome::kStarted) ++started;
  }
  std::uint64_t order = 0;
  while (const auto* candidate = state_.frontier.find_candidate(order)) {
    if (head_waits_ && passed_head_ >= state_.options.bypass_limit) return started;
    order = candidate->order + 1;
    if (candidate->task == lead) continue;
    const auto outcome = consider(*candidate, actions);
    if (outcome == Outcome::kStop) return started;
    if (outcome == Outcome::kStarted) ++started;
  }
  if (!head_waits_) passed_head_ = 0;
  return started;
}

Dispatcher::Outcome Dispatcher::consider(ReadyTask candidate, std::vector<Action>& actions) {
  candidate.memory.temporary = state_.wish(candidate);
  const auto admission = judge(state_, candidate);
  switch (admission.verdict) {
    case Verdict::kIdleWorker:
      start_on_idle(admission.worker, candidate, actions);
      return Outcome::kStarted;
    case Verdict::kNewWorker:
      start_on_new(candidate, actions);
      return Outcome::kStarted;
    case Verdict::kQueue:
      queue_at(admission.worker, candidate, actions);
      return Outcome::kStarted;
    case Verdict::kReclaim:
      // Idle workers answer soon; what they give must not go to somebody else meanwhile.
      Reclaimer(state_, actions).make_idle_give(candidate);
      return Outcome::kStop;
    case Verdict::kBlocked:
      return wait_as_head(candidate, admission.missing, actions);
    case Verdict::kTooEarly:
      return Outcome::kPassed;
    case Verdict::kNoWorker:
      break;
  }
  return Outcome::kStop;
}

Dispatcher::Outcome Dispatcher::wait_as_head(const ReadyTask& candidate, Bytes missing, std::vector<Action>& actions) {
  if (head_waits_) return Outcome::kPassed;
  head_waits_ = true;
  head_ = candidate.task;
  Reclaimer(state_, actions).make_busy_give(candidate, missing);
  return Outcome::kPassed;
}

void Dispatcher::note_start(TaskId task) {
  ++state_.statistics.tasks_started;
  if (head_ == task) {
    head_.reset();
    passed_head_ = 0;
  } else if (head_waits_) {
    ++passed_head_;
    state_.statistics.bypass_peak = std::max<std::int64_t>(state_.statistics.bypass_peak, passed_head_);
  }
}

void Dispatcher::start_on_idle(WorkerNumber number, const ReadyTask& task, std::vector<Action>& actions) {
  auto& workers = state_.workers;
  const auto held = std::max(workers.at(number).held, task.memory.temporary);
  Reclaimer(state_, actions).make_room(held - workers.at(number).held, charged_block(task.memory.resident));
  state_.frontier.take(task.task);
  Reclaimer(state_, actions).trim_before(number, task);
  workers.change(number, [&](Worker& worker) {
    worker.state = WorkerState::kBusy;
    worker.held = held;
    worker.running = task;
    worker.threads = 1;
    worker.busy_since = next_busy_++;
  });
  state_.chunks.add(task.task, charged_block(task.memory.resident));
  ++state_.assigned[at(task.task.op)];
  note_start(task.task);
  state_.ledger.allocate_block(charged_block(task.memory.resident));
  send(number, task, actions);
  count_running(task, 1);
}

void Dispatcher::start_on_new(const ReadyTask& task, std::vector<Action>& actions) {
  const auto resident = charged_block(task.memory.resident);
  // The block is allocated when the worker is ready. What can be reused then nobody knows.
  Reclaimer(state_, actions).make_room(state_.workers.reserved() + task.memory.temporary + resident, Bytes(0));
  state_.frontier.take(task.task);
  const auto number = add_worker(task.memory.temporary, actions);
  state_.workers.change(number, [&](Worker& worker) {
    worker.running = task;
    worker.threads = 1;
  });
  state_.ledger.promise_block(resident);
  state_.chunks.add(task.task, resident);
  ++state_.assigned[at(task.task.op)];
  note_start(task.task);
}

std::optional<WorkerNumber> Dispatcher::start_backup(WorkerNumber original, std::vector<Action>& actions) {
  auto& workers = state_.workers;
  const auto task = *workers.at(original).running;
  const auto grant = task.memory.temporary;
  const auto block = charged_block(task.memory.resident);
  const auto free = state_.ledger.free_without_cache();
  if (head_waits_ || !state_.has_core() || !within_width(state_, task.task.op)) return std::nullopt;
  auto chosen = workers.find_idle(grant);
  if (chosen) {
    const auto held = std::max(workers.at(*chosen).held, grant);
    const auto growth = held - workers.at(*chosen).held;
    if (growth + block > free) return std::nullopt;
    Reclaimer(state_, actions).make_room(growth, block);
    workers.change(*chosen, [&](Worker& worker) {
      worker.state = WorkerState::kBusy;
      worker.held = held;
      worker.busy_since = next_busy_++;
    });
    state_.ledger.allocate_block(block);
  } else {
    if (workers.count() >= state_.worker_limit() || workers.reserved() + grant + block > free) return std::nullopt;
    Reclaimer(state_, actions).make_room(workers.reserved() + grant + block, Bytes(0));
    chosen = add_worker(grant, actions);
    state_.ledger.promise_block(block);
  }
  workers.change(*chosen, [&](Worker& worker) {
    worker.running = task;
    worker.threads = 1;
    worker.backup = true;
  });
  ++state_.assigned[at(task.task.op)];
  ++state_.statistics.backups;
  if (workers.at(*chosen).state == WorkerState::kBusy) {
    send(*chosen, task, actions);
    count_running(task, 1);
  }
  return chosen;
}

WorkerNumber Dispatcher::add_worker(Bytes held, std::vector<Action>& actions) {
  const auto number = state_.workers.add(held);
  ++state_.statistics.workers_started;
  state_.statistics.workers_peak = std::max(state_.statistics.workers_peak, state_.workers.count());
  actions.emplace_back(StartWorker{number});
  return number;
}

void Dispatcher::queue_at(WorkerNumber number, const ReadyTask& task, std::vector<Action>& actions) {
  auto& workers = state_.workers;
  const auto held = std::max(workers.at(number).held, task.memory.temporary);
  Reclaimer(state_, actions).make_room(held - workers.at(number).held, charged_block(task.memory.resident));
  state_.frontier.take(task.task);
  Reclaimer(state_, actions).trim_before(number, task);
  const bool in_lane = !within_width(state_, task.task.op);
  workers.change(number, [&](Worker& worker) {
    worker.held = held;
    worker.queued = task;
    worker.queued_threads = 1;
    worker.queued_in_lane = in_lane;
  });
  state_.chunks.add(task.task, charged_block(task.memory.resident));
  if (!in_lane) ++state_.assigned[at(task.task.op)];
  ++state_.statistics.prefetches;
  note_start(task.task);
  state_.ledger.allocate_block(charged_block(task.memory.resident));
  send(number, task, actions);
}

void Dispatcher::on_ready(WorkerNumber number, std::vector<Action>& actions) {
  auto& workers = state_.workers;
  check(workers.at(number).state == WorkerState::kStarting, "a worker is ready that was not starting");
  const auto task = workers.at(number).running;
  workers.change(number, [&](Worker& worker) {
    worker.state = task ? WorkerState::kBusy : WorkerState::kIdle;
    worker.busy_since = next_busy_++;
  });
  if (!task) return;
  state_.ledger.keep_promise(charged_block(task->memory.resident));
  send(number, *task, actions);
  count_running(*task, 1);
}

void Dispatcher::send(WorkerNumber worker, const ReadyTask& task, std::vector<Action>& actions) {
  sent_.push_back(actions.size());
  const auto& to = state_.workers.at(worker);
  RunTask run{worker, task.task, task.memory.temporary, task.memory.resident, state_.attempt(task.task)};
  run.backup = to.backup && to.running->task == task.task;
  actions.emplace_back(run);
}

void Dispatcher::share_cores(std::vector<Action>& actions) {
  // A task that is queued here takes over the cores of the one before it, so that one has its share first.
  const auto queued = std::stable_partition(sent_.begin(), sent_.end(), [&](std::size_t position) {
    const auto& run = std::get<RunTask>(actions[position]);
    return state_.workers.at(run.worker).running->task == run.task;
  });
  auto left = queued - sent_.begin() + state_.workers.awaited_count();
  for (auto position = sent_.begin(); position != queued; ++position)
    share_cores(std::get<RunTask>(actions[*position]), left--);
  left = sent_.end() - queued;
  for (auto position = queued; position != sent_.end(); ++position)
    share_cores(std::get<RunTask>(actions[*position]), left--);
  sent_.clear();
}

/// Its share of the cores that are left for `tasks` tasks.
void Dispatcher::share_cores(RunTask& run, std::int64_t tasks) {
  const bool may_share = state_.options.extra_threads && !state_.options.fixed_pool;
  const auto most = may_share ? state_.facts[at(run.task.op)].thread_limit : 1;
  state_.workers.change(run.worker, [&](Worker& worker) {
    auto& threads = worker.running->task == run.task ? worker.threads : worker.queued_threads;
    const auto own = std::max<std::int64_t>(1, worker.threads);
    // Without this worker's: it is out of the table while it changes.
    const auto spare = std::max<std::int64_t>(0, state_.options.cores - state_.workers.cores() - own);
    threads = static_cast<std::int32_t>(std::min<std::int64_t>(own + (spare + tasks - 1) / tasks, most));
    run.threads = threads;
  });
}

void Dispatcher::count_running(const ReadyTask& task, int change) {
  state_.waiting.count_running(task.task.op, change);
  auto& width = state_.running[at(task.task.op)];
  width += change;
  state_.running_total += change;
  state_.running_grants += task.memory.temporary * change;
  state_.width_observed[at(task.task.op)] = std::max(state_.width_observed[at(task.task.op)], width);
  state_.statistics.running_peak = std::max(state_.statistics.running_peak, state_.running_total);
}

void Dispatcher::complete_fixed_pool(std::vector<Action>& actions) {
  const auto& pool = *state_.options.fixed_pool;
  const auto cost = state_.workers.reserved() + pool.grant;
  while (state_.workers.count() < pool.workers && state_.ledger.free_without_cache() >= cost) {
    Reclaimer(state_, actions).make_room(cost, Bytes(0));
    add_worker(pool.grant, actions);
  }
}

}  // namespace brim::schedule
