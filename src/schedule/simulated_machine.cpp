#include "schedule/simulated_machine.h"

#include <algorithm>
#include <utility>

#include "core/check.h"
#include "schedule/ledger.h"

namespace brim::schedule {

void SimulatedArena::allocate(TaskId task, Bytes size) {
  if (size == Bytes(0)) return;
  const auto charged = charged_block(size);
  check(blocks_.emplace(task, charged).second, "a block was allocated twice");
  granted_ += charged;
  const auto same = std::find(cache_.rbegin(), cache_.rend(), charged);
  if (same == cache_.rend()) return;
  cached_ -= charged;
  cache_.erase(std::next(same).base());
}

void SimulatedArena::free(TaskId task) {
  const auto found = blocks_.find(task);
  check(found != blocks_.end(), "a block was freed that is not granted");
  granted_ -= found->second;
  cached_ += found->second;
  cache_.push_back(found->second);
  blocks_.erase(found);
}

void SimulatedArena::release_cached(Bytes wanted) {
  Bytes released;
  while (released < wanted && !cache_.empty()) {
    released += cache_.front();
    cache_.pop_front();
  }
  cached_ -= released;
}

SimulatedMachine::SimulatedMachine(const TaskGraph& graph, const std::vector<OpFacts>& facts,
                                   const SimulationOptions& options)
    : graph_(graph),
      facts_(facts),
      options_(options),
      random_(options.seed),
      cores_(options.schedule.cores),
      done_(facts) {
  for (const auto& [seconds, event] : options.incidents) after(seconds, event);
}

void SimulatedMachine::carry_out(const Action& action) {
  std::visit([this](const auto& detail) { carry(detail); }, action);
}

void SimulatedMachine::carry(const StartWorker& action) {
  check(processes_.try_emplace(action.worker).second, "a worker's number was used twice");
  workers_held_ += options_.schedule.reserved_mem;
  const bool dies = chance() < options_.start_death_chance;
  last_spawn_ = std::max(last_spawn_, now_) + options_.spawn_seconds;
  after(last_spawn_ - now_ + options_.start_seconds,
        StepEnd{action.worker, dies ? Event(WorkerLost{action.worker}) : Event(WorkerReady{action.worker})});
}

void SimulatedMachine::carry(const StopWorker& action) {
  after(options_.message_seconds, Arrival{action.worker, action});
}

void SimulatedMachine::carry(const KillWorker& action) {
  const auto found = processes_.find(action.worker);
  if (found == processes_.end()) return;
  set_held(found->second, Bytes(0));
  workers_held_ -= options_.schedule.reserved_mem;
  processes_.erase(found);
  after(options_.message_seconds, Event(WorkerStopped{action.worker}));
}

void SimulatedMachine::carry(const TrimWorker& action) {
  after(options_.message_seconds, Arrival{action.worker, action});
}

void SimulatedMachine::carry(const RunTask& action) {
  check_inputs(action.task);
  if (action.backup) {
    auto& names = copies_[action.task];
    names.push_back({action.task.op, --next_copy_});
    arena_.allocate(names.back(), action.resident);
  } else {
    arena_.allocate(action.task, action.resident);
  }
  after(options_.message_seconds, Arrival{action.worker, action});
}

void SimulatedMachine::carry(const FreeChunk& action) { arena_.free(action.task); }

void SimulatedMachine::carry(const FreeCopy& action) {
  auto& names = copies_.at(action.task);
  arena_.free(names.back());  // they are all of one size
  names.pop_back();
}

void SimulatedMachine::carry(const ReleaseCached& action) { arena_.release_cached(action.bytes); }

void SimulatedMachine::carry(const Finish& action) {
  check(!saw_finish_ && processes_.empty(), "the run finished twice, or before its workers were gone");
  saw_finish_ = true;
  was_cancelled_ = action.cancelled;
}

void SimulatedMachine::carry(const Fail& action) {
  check(!failure_, "the run failed twice");
  failure_ = action;
}

std::optional<Event> SimulatedMachine::next_event() {
  while (true) {
    const auto cpu_end = cores_.next_end();
    if (cpu_end && (moments_.empty() || *cpu_end <= moments_.top().time)) {
      now_ = *cpu_end;
      end_cpu(cores_.end_next());
      continue;
    }
    if (moments_.empty()) return std::nullopt;
    const auto moment = moments_.top();
    moments_.pop();
    now_ = moment.time;
    if (const auto* event = std::get_if<Event>(&moment.what)) return *event;
    if (const auto* step = std::get_if<StepEnd>(&moment.what)) {
      end(*step);
      continue;
    }
    if (const auto* look = std::get_if<Look>(&moment.what)) {
      const auto process = processes_.find(look->worker);
      if (process == processes_.end() || process->second.stalled != look->task) continue;
      after(1.0, *look);
      return TaskOverdue{look->worker, look->task};
    }
    const auto& arrival = std::get<Arrival>(moment.what);
    const auto found = processes_.find(arrival.worker);
    if (found == processes_.end()) continue;
    found->second.inbox.push_back(arrival.message);
    work(arrival.worker);
  }
}

void SimulatedMachine::work(WorkerNumber worker) {
  const auto found = processes_.find(worker);
  if (found == processes_.end() || found->second.occupied || found->second.inbox.empty()) return;
  found->second.occupied = true;
  const auto message = found->second.inbox.front();
  found->second.inbox.pop_front();
  std::visit([&](const auto& detail) { step(worker, detail); }, message);
}

void SimulatedMachine::step(WorkerNumber worker, const RunTask& message) {
  auto& process = processes_.at(worker);
  set_held(process, std::max(process.held, message.grant));
  const auto wanted =
      options_.true_temporary ? options_.true_temporary(message.task) : graph_.memory(message.task).temporary;
  const auto work = work_of(message.task);
  if (!message.backup && chance() < options_.stall_chance) {
    process.stalled = message.task;
    return after((work.cpu_seconds + work.wait_seconds) * 3, Look{worker, message.task});
  }
  double share = 1;
  Event event = TaskDone{worker, message.task};
  if (chance() < options_.death_chance) {
    share = chance();
    event = WorkerLost{worker};
  } else if (wanted > message.grant) {
    share = 0.5;
    event = options_.excess_kills ? Event(WorkerLost{worker, true}) : Event(TaskFailed{worker, message.task, true});
  }
  ++tasks_run_;
  process.attempt = Attempt{now_, work.wait_seconds * share, event};
  if (work.cpu_seconds > 0)
    cores_.start(now_, worker, message.threads, work.cpu_seconds * share);
  else
    end_cpu(worker);
}

/// Where nothing is said of cores, a task is as if it waited.
TaskWork SimulatedMachine::work_of(TaskId task) const {
  if (options_.work) return options_.work(task);
  return {0, options_.duration_seconds ? options_.duration_seconds(task) : 1.0};
}

void SimulatedMachine::end_cpu(WorkerNumber worker) {
  const auto found = processes_.find(worker);
  if (found == processes_.end()) return;  // killed in the middle of it
  const auto& attempt = *found->second.attempt;
  after(attempt.wait_seconds, StepEnd{worker, attempt.event});
}

void SimulatedMachine::step(WorkerNumber worker, const TrimWorker& message) {
  const auto held = std::min(processes_.at(worker).held, std::max(message.keep, options_.untrimmable));
  after(options_.trim_seconds, StepEnd{worker, WorkerTrimmed{worker, held}});
}

void SimulatedMachine::step(WorkerNumber worker, const StopWorker&) {
  after(options_.stop_seconds, StepEnd{worker, WorkerStopped{worker}});
}

void SimulatedMachine::end(StepEnd step) {
  const auto found = processes_.find(step.worker);
  if (found == processes_.end()) return;  // killed in the middle of it
  auto& process = found->second;
  process.occupied = false;
  if (process.attempt) busy_seconds_ += now_ - process.attempt->start;
  if (auto* done = std::get_if<TaskDone>(&step.event)) {
    check(!done_.test(done->task) || copies_.contains(done->task), "a task was done twice");
    done_.set(done->task);
    last_end_ = now_;
    done->seconds = now_ - process.attempt->start;
    done->blocked_seconds = options_.work ? process.attempt->wait_seconds : 0;
  }
  process.attempt.reset();
  if (const auto* trimmed = std::get_if<WorkerTrimmed>(&step.event)) {
    set_held(process, trimmed->held);
  } else if (std::holds_alternative<WorkerLost>(step.event) || std::holds_alternative<WorkerStopped>(step.event)) {
    set_held(process, Bytes(0));
    workers_held_ -= options_.schedule.reserved_mem;
    processes_.erase(step.worker);
  }
  after(options_.message_seconds, step.event);
  work(step.worker);
}

void SimulatedMachine::set_held(Process& process, Bytes held) {
  workers_held_ += held - process.held;
  process.held = held;
}

void SimulatedMachine::after(double seconds, What what) {
  moments_.push({now_ + seconds, next_number_++, std::move(what)});
}

/// What a task reads must be complete and in memory when it is sent.
void SimulatedMachine::check_inputs(TaskId task) const {
  if (!facts_[static_cast<std::size_t>(task.op)].has_dependencies) return;
  graph_.visit_dependencies(task, [this](TaskId dependency) {
    check(done_.test(dependency), "a task was sent before what it depends on was done");
    check(graph_.memory(dependency).resident == Bytes(0) || arena_.holds(dependency),
          "a task was sent, and a chunk that it reads is gone");
  });
}

double SimulatedMachine::chance() { return static_cast<double>(random_() >> 11) * 0x1p-53; }

}  // namespace brim::schedule
