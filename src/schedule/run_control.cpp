#include "schedule/run_control.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/check.h"

namespace brim::schedule {
namespace {

/// The first grant of a task that exceeded a smaller one.
constexpr Bytes kSmallestRetryGrant = kibibytes(64);

std::string figures(const RunState& state, const TaskMemory& memory) {
  const auto& options = state.options;
  const auto& totals = state.ledger.totals();
  std::string text = fmt::format("needs {} and a resident chunk of {}; the budget of {} less coordinator {}, worker {}",
                                 to_string(memory.temporary), to_string(memory.resident), to_string(totals.budget),
                                 to_string(options.coordinator_mem), to_string(options.reserved_mem));
  if (totals.resident > Bytes(0)) text += fmt::format(", resident chunks {}", to_string(totals.resident));
  if (const auto& pool = options.fixed_pool)
    text += fmt::format(", in a fixed pool of {} workers with {} each", pool->workers, to_string(pool->grant));
  return text + " does not hold that";
}

}  // namespace

void RunControl::on_event(const Event& event, std::vector<Action>& actions) {
  check(phase_ != Phase::kFinished, "an event after the end of the run");
  check((phase_ == Phase::kBefore) == std::holds_alternative<Begin>(event), "the first event must be Begin, once");
  std::visit([&](const auto& detail) { on(detail, actions); }, event);
  if (phase_ == Phase::kRunning) go_on(actions);
  dispatcher_.share_cores(actions);
  if (phase_ == Phase::kEnding && state_.workers.count() == 0) {
    phase_ = Phase::kFinished;
    actions.emplace_back(Finish{cancelled_});
  }
}

void RunControl::on(const Begin& event, std::vector<Action>&) {
  phase_ = Phase::kRunning;
  for (const auto task : event.done) state_.frontier.skip(task);
  for (const auto task : event.done)
    check(count_dependents(task) == 0, "a task counts as done, and one that reads its chunk does not");
  state_.lead.advance(state_.frontier.done(), [](TaskId) {});
}

void RunControl::on(const WorkerReady& event, std::vector<Action>& actions) {
  failed_starts_ = 0;
  if (state_.workers.at(event.worker).state != WorkerState::kStopping) dispatcher_.on_ready(event.worker, actions);
}

void RunControl::on(const TaskDone& event, std::vector<Action>& actions) {
  if (phase_ != Phase::kRunning || is_leaving(event.worker)) return;
  const auto ended = take_running(event.worker, event.task);
  if (const auto other = copies_.take_other(event.task, event.worker)) abandon(*other, actions);
  note_duration(event.task.op, event.seconds);
  state_.waiting.note(event.task.op, event.seconds, event.blocked_seconds);
  note_success(ended);
  state_.frontier.on_done(event.task);
  if (state_.chunks.contains(event.task)) {
    const auto dependents = count_dependents(event.task);
    state_.chunks.set_dependents(event.task, dependents);
    if (dependents == 0) free_chunk(event.task, actions);
  }
  release_dependencies(event.task, actions);
  state_.lead.advance(state_.frontier.done(), [this](TaskId task) { state_.chunks.mark_in_order(task); });
}

void RunControl::on(const TaskFailed& event, std::vector<Action>& actions) {
  if (phase_ != Phase::kRunning || is_leaving(event.worker)) return;
  const auto task = take_running(event.worker, event.task);
  if (const auto other = copies_.take_other(event.task, event.worker)) abandon(*other, actions);
  free_chunk(task.task, actions);
  if (event.memory) return retry_with_more(task, actions);
  fail(event.task, FailureReason::kTask, fmt::format("task {} of op {} failed", event.task.index, event.task.op),
       actions);
}

void RunControl::on(const TaskOverdue& event, std::vector<Action>&) {
  const auto& workers = state_.workers.all();
  const auto found = workers.find(event.worker);
  // It may have ended in the meantime.
  if (found == workers.end() || found->second.state != WorkerState::kBusy) return;
  if (found->second.running->task == event.task && !state_.options.fixed_pool) overdue_ = event.worker;
}

void RunControl::on(const WorkerTrimmed& event, std::vector<Action>&) {
  const auto& worker = state_.workers.at(event.worker);
  if (worker.state == WorkerState::kStopping) return;
  check(worker.trim_to.has_value(), "a worker was trimmed that was not asked");
  // It may hold up to what it was left, touched or not.
  const auto left = std::max(*worker.trim_to, event.held);
  state_.workers.change(event.worker, [&](Worker& trimmed) {
    trimmed.floor = event.held > *trimmed.trim_to ? std::min(trimmed.held, event.held) : Bytes(0);
    trimmed.trim_to.reset();
    trimmed.held = std::min(trimmed.held, std::max(left, trimmed.granted()));
  });
}

void RunControl::on(const WorkerStopped& event, std::vector<Action>& actions) { lose(event.worker, false, actions); }

void RunControl::on(const WorkerLost& event, std::vector<Action>& actions) {
  lose(event.worker, event.memory, actions);
}

void RunControl::on(const MemoryPressure& event, std::vector<Action>&) {
  state_.ledger.set_budget(std::clamp(event.budget, Bytes(0), state_.options.budget));
}

void RunControl::on(const Cancel&, std::vector<Action>& actions) {
  if (phase_ != Phase::kRunning) return;
  cancelled_ = true;
  end(actions);
}

void RunControl::go_on(std::vector<Action>& actions) {
  waits_for_budget_ = false;
  if (state_.frontier.all_done()) return end(actions);
  if (state_.options.fixed_pool) dispatcher_.complete_fixed_pool(actions);
  dispatcher_.dispatch(actions);
  start_backup(actions);
  reject_impossible(actions);
  if (phase_ == Phase::kRunning && at_rest()) resolve_standstill(actions);
}

/// After everything else that can start has started.
void RunControl::start_backup(std::vector<Action>& actions) {
  const auto original = std::exchange(overdue_, std::nullopt);
  if (!original) return;
  const auto task = state_.workers.at(*original).running->task;
  if (copies_.contains(task)) return;
  if (const auto backup = dispatcher_.start_backup(*original, actions)) copies_.add(task, *original, *backup);
}

bool RunControl::waits_for_memory() const {
  return phase_ == Phase::kRunning && dispatcher_.head_waits() && state_.workers.active_count() < state_.worker_limit();
}

bool RunControl::is_leaving(WorkerNumber worker) const {
  return state_.workers.at(worker).state == WorkerState::kStopping;
}

/// The task that the worker runs is done elsewhere, or not wanted any more.
void RunControl::abandon(WorkerNumber number, std::vector<Action>& actions) {
  const Worker worker = state_.workers.at(number);
  const bool starting = worker.state == WorkerState::kStarting;
  const auto task = *worker.running;
  const auto block = charged_block(task.memory.resident);
  if (starting)
    state_.ledger.take_promise_back(block);
  else
    copies_.abandon(number, task.task, block);
  drop_tasks(worker, actions);
  state_.workers.change(number, [](Worker& leaving) {
    leaving.state = WorkerState::kStopping;
    leaving.running.reset();
    leaving.queued.reset();
    leaving.threads = leaving.queued_threads = 0;
  });
  actions.emplace_back(KillWorker{number});
}

/// Takes a worker's tasks off the counts, and puts the queued one back.
void RunControl::drop_tasks(const Worker& worker, std::vector<Action>& actions) {
  if (worker.running) {
    if (worker.state != WorkerState::kStarting) dispatcher_.count_running(*worker.running, -1);
    --state_.assigned[static_cast<std::size_t>(worker.running->task.op)];
  }
  if (!worker.queued) return;
  if (!worker.queued_in_lane) --state_.assigned[static_cast<std::size_t>(worker.queued->task.op)];
  free_chunk(worker.queued->task, actions);
  state_.frontier.put_back(*worker.queued);
}

/// The planner refuses such plans; this is the guard behind it.
void RunControl::reject_impossible(std::vector<Action>& actions) {
  for (const auto& ready : state_.frontier.take_news()) {
    if (can_ever_fit(state_, ready.memory)) continue;
    return fail(ready.task, FailureReason::kDoesNotFit,
                fmt::format("task {} of op {} {}", ready.task.index, ready.task.op, figures(state_, ready.memory)),
                actions);
  }
}

bool RunControl::at_rest() const {
  const auto& workers = state_.workers;
  return workers.count() == workers.idle_count() && workers.trimming_bytes() == Bytes(0);
}

/// Nothing moves, so nothing will: the lead does not fit although it is alone.
void RunControl::resolve_standstill(std::vector<Action>& actions) {
  check(state_.lead.task().has_value(), "tasks are left, but none is next");
  const auto* ready = state_.frontier.find_ready(*state_.lead.task());
  check(ready != nullptr, "nothing runs, and the next task is not ready");
  auto lead = *ready;
  const auto found = state_.history.find(lead.task);
  const auto room = room_alone(state_) - charged_block(lead.memory.resident);
  const auto exceeded = found != state_.history.end() ? found->second.failed_grant : Bytes(-1);
  if (room >= state_.graph.memory(lead.task).temporary && room > exceeded && room < state_.wish(lead)) {
    // It asks for more than it was projected: it gets all there is.
    state_.frontier.take(lead.task);
    state_.history[lead.task].capped = true;
    lead.memory.temporary = room;
    state_.frontier.put_back(lead);
    return dispatcher_.dispatch(actions);
  }
  waits_for_budget_ = state_.ledger.totals().budget < state_.options.budget;
  if (waits_for_budget_) return;
  fail(lead.task,
       exceeded >= Bytes(0) && found->second.memory_failures > 0 ? FailureReason::kMemory : FailureReason::kDoesNotFit,
       fmt::format("task {} of op {} {}", lead.task.index, lead.task.op, figures(state_, lead.memory)), actions);
}

/// Takes a task that has ended off its worker; the one queued behind it is at work now.
ReadyTask RunControl::take_running(WorkerNumber number, TaskId task) {
  const auto& running = state_.workers.at(number).running;
  check(running && running->task == task && state_.workers.at(number).state == WorkerState::kBusy,
        "a task ended that did not run there");
  const auto ended = *running;
  dispatcher_.count_running(ended, -1);
  // A task queued in its op's lane takes the place that was counted for this one.
  if (!state_.workers.at(number).queued_in_lane) --state_.assigned[static_cast<std::size_t>(task.op)];
  state_.workers.change(number, [](Worker& worker) {
    worker.queued_in_lane = false;
    worker.running = std::exchange(worker.queued, std::nullopt);
    worker.threads = std::exchange(worker.queued_threads, 0);
    worker.backup = false;
    if (!worker.running) worker.state = WorkerState::kIdle;
  });
  if (const auto& next = state_.workers.at(number).running) dispatcher_.count_running(*next, 1);
  return ended;
}

std::int64_t RunControl::count_dependents(TaskId task) const {
  std::int64_t count = 0;
  if (state_.facts[static_cast<std::size_t>(task.op)].has_dependents)
    state_.graph.visit_dependents(task, [&](TaskId dependent) {
      if (!state_.frontier.done().test(dependent)) ++count;  // an earlier run may have done it
    });
  return count;
}

void RunControl::release_dependencies(TaskId task, std::vector<Action>& actions) {
  if (!state_.facts[static_cast<std::size_t>(task.op)].has_dependencies) return;
  state_.graph.visit_dependencies(task, [&](TaskId dependency) {
    if (state_.chunks.release(dependency)) free_chunk(dependency, actions);
  });
}

void RunControl::free_chunk(TaskId task, std::vector<Action>& actions) {
  const auto charged = state_.chunks.remove(task);
  if (charged == Bytes(0)) return;
  state_.ledger.free_block(charged);
  actions.emplace_back(FreeChunk{task});
}

void RunControl::note_duration(OpIndex op, double seconds) {
  constexpr double kWeight = 0.25;
  auto& mean = state_.mean_seconds[static_cast<std::size_t>(op)];
  mean = mean <= 0 ? seconds : mean + kWeight * (seconds - mean);
}

/// A task that first exceeded its grant tells what tasks of its op need.
void RunControl::note_success(const ReadyTask& task) {
  const auto found = state_.history.find(task.task);
  if (found == state_.history.end()) return;
  const auto projected = state_.graph.memory(task.task).temporary;
  if (found->second.memory_failures > found->second.memory_kills && projected > Bytes(0) &&
      !state_.options.fixed_pool) {
    auto& factor = state_.grant_factor[static_cast<std::size_t>(task.task.op)];
    factor =
        std::max(factor, static_cast<double>(task.memory.temporary.count()) / static_cast<double>(projected.count()));
  }
  state_.history.erase(found);
}

/// The task will not end at the worker that died.
void RunControl::unassign(const ReadyTask& task, WorkerState state, std::vector<Action>& actions) {
  if (state == WorkerState::kStarting)
    state_.ledger.take_promise_back(state_.chunks.remove(task.task));
  else
    free_chunk(task.task, actions);
}

/// What the task could be granted if nothing else were there.
Bytes RunControl::largest_grant(const ReadyTask& task) const {
  const auto& options = state_.options;
  if (options.fixed_pool) return options.fixed_pool->grant;
  return options.budget - options.coordinator_mem - options.reserved_mem - charged_block(task.memory.resident);
}

void RunControl::retry_with_more(ReadyTask task, std::vector<Action>& actions) {
  auto& history = state_.history[task.task];
  ++history.memory_failures;
  history.failed_grant = std::max(history.failed_grant, task.memory.temporary);
  const auto& options = state_.options;
  const auto grant = std::min(largest_grant(task), std::max(kSmallestRetryGrant, history.failed_grant * 2));
  if (history.memory_failures > options.memory_retry_limit || grant <= history.failed_grant) {
    return fail(task.task, FailureReason::kMemory,
                fmt::format("task {} of op {} exceeded its memory {} times, last with {}", task.task.index,
                            task.task.op, history.memory_failures, to_string(history.failed_grant)),
                actions);
  }
  task.memory.temporary = grant;
  const auto beyond = grant - state_.graph.memory(task.task).temporary;
  state_.beyond_projection = std::max(state_.beyond_projection, beyond);
  ++state_.statistics.tasks_retried;
  state_.frontier.put_back(task);
}

/// The kernel picks the fattest process, which need not be the one that went too far. So a task that has all there is
/// already is tried again with that, as after any death.
void RunControl::retry_after_memory_kill(const ReadyTask& task, std::vector<Action>& actions) {
  if (task.memory.temporary >= largest_grant(task)) return retry_after_death(task, actions);
  ++state_.history[task.task].memory_kills;
  retry_with_more(task, actions);
}

void RunControl::retry_after_death(const ReadyTask& task, std::vector<Action>& actions) {
  auto& history = state_.history[task.task];
  if (++history.deaths >= state_.options.death_limit) {
    return fail(task.task, FailureReason::kWorkerDeath,
                fmt::format("{} workers died running task {} of op {}", history.deaths, task.task.index, task.task.op),
                actions);
  }
  ++state_.statistics.tasks_retried;
  state_.frontier.put_back(task);
}

void RunControl::lose(WorkerNumber number, bool memory, std::vector<Action>& actions) {
  const Worker worker = state_.workers.at(number);
  state_.workers.remove(number);
  if (const auto block = copies_.take_abandoned(number)) free_copy(*block, number, actions);
  if (worker.state == WorkerState::kStopping) return;
  ++state_.statistics.workers_lost;
  drop_tasks(worker, actions);
  const bool starting = worker.state == WorkerState::kStarting;
  if (worker.running && copies_.take_other(worker.running->task, number)) {
    // The other copy goes on.
    const auto block = charged_block(worker.running->memory.resident);
    if (starting)
      state_.ledger.take_promise_back(block);
    else
      free_copy({worker.running->task, block}, number, actions);
  } else if (worker.running) {
    unassign(*worker.running, worker.state, actions);
    if (starting)
      state_.frontier.put_back(*worker.running);
    else if (memory)
      retry_after_memory_kill(*worker.running, actions);
    else
      retry_after_death(*worker.running, actions);
  }
  if (!starting || ++failed_starts_ < state_.options.death_limit) return;
  fail(worker.running ? worker.running->task : state_.lead.task().value_or(TaskId{}), FailureReason::kWorkerDeath,
       fmt::format("{} workers in a row died before they were ready", failed_starts_), actions);
}

void RunControl::free_copy(const Copies::Block& block, WorkerNumber worker, std::vector<Action>& actions) {
  if (block.charged == Bytes(0)) return;
  state_.ledger.free_block(block.charged);
  actions.emplace_back(FreeCopy{block.task, worker});
}

void RunControl::fail(TaskId task, FailureReason reason, std::string what, std::vector<Action>& actions) {
  if (phase_ != Phase::kRunning) return;
  actions.emplace_back(Fail{task, reason, std::move(what)});
  end(actions);
}

void RunControl::end(std::vector<Action>& actions) {
  phase_ = Phase::kEnding;
  std::vector<WorkerNumber> left;
  for (const auto& [number, worker] : state_.workers.all())
    if (worker.state != WorkerState::kStopping) left.push_back(number);
  for (const auto number : left) {
    state_.workers.change(number, [](Worker& worker) { worker.state = WorkerState::kStopping; });
    actions.emplace_back(StopWorker{number});
  }
}

}  // namespace brim::schedule
