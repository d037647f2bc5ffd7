#include "runtime/driver.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "brim/error.h"
#include "core/check.h"
#include "machine/memory_limits.h"
#include "machine/process_state.h"

namespace brim::runtime {
namespace {

using schedule::TaskId;

/// A task is overdue when it takes this many times the mean of its op, and this long.
constexpr double kManyTimes = 5;
constexpr double kLongSeconds = 3;
constexpr std::int64_t kSamples = 3;
constexpr std::chrono::seconds kLookPeriod{1};
constexpr std::chrono::milliseconds kSamplePeriod{250};
/// How long a worker has to leave when it is asked to.
constexpr std::chrono::seconds kPatience{5};

pool::PoolOptions pool_options(const shm::ChunkArena& arena) {
  pool::PoolOptions options;
  options.program = worker_program();
  options.arena_descriptor = arena.descriptor();
  options.arena_capacity = arena.capacity();
  return options;
}

/// What the machine can give beyond what is held, limits of address space aside: they do not change with other
/// programs.
Bytes machine_available() { return machine::smallest(machine::memory_limits({}, std::nullopt)); }

[[noreturn]] void cancelled() { throw Cancelled("stopped on request", "no output was touched"); }

}  // namespace

Driver::Driver(Phase phase, DriverOptions options, RunRecorder& recorder)
    : phase_(std::move(phase)),
      options_(std::move(options)),
      recorder_(recorder),
      scheduler_(*phase_.graph, options_.schedule),
      arena_(options_.schedule.budget),
      pool_(pool_options(arena_)),
      budget_watch_(options_.schedule.budget, machine_available() - options_.schedule.budget) {
  for (schedule::OpIndex op = 0; op < phase_.graph->op_count(); ++op) task_total_ += phase_.graph->task_count(op);
  if (options_.cancel_descriptor >= 0) pool_.watch(options_.cancel_descriptor);
}

void Driver::run() {
  feed(schedule::Begin{phase_.done});
  while (!finished_) {
    const auto timeout = std::max(recorder_.next_show() - Clock::now(), Clock::duration::zero());
    for (const auto& event : pool_.wait(timeout))
      std::visit([&](const auto& detail) { on(event.worker, detail); }, event.detail);
    show();
    look_for_stragglers();
    watch_budget();
  }
}

void Driver::feed(const schedule::Event& event) {
  std::vector<schedule::Action> actions;
  scheduler_.on_event(event, actions);
  for (const auto& action : actions) std::visit([this](const auto& detail) { apply(detail); }, action);
  recorder_.set_in_use(scheduler_.in_use(), scheduler_.waits_for_memory());
}

// What the scheduler wants done.

void Driver::apply(const schedule::StartWorker& action) {
  pool_.start(action.worker);
  starting_.emplace(action.worker, Clock::now());
  if (!options_.targets.empty()) pool_.send(action.worker, pool::Targets{options_.targets});
}

void Driver::apply(const schedule::StopWorker& action) {
  pool_.stop(action.worker);
  leaving_.emplace(action.worker, Clock::now());
}

void Driver::apply(const schedule::KillWorker& action) {
  killed_.insert(action.worker);
  pool_.kill(action.worker);
}

void Driver::apply(const schedule::TrimWorker& action) {
  pool_.send(action.worker, pool::Trim{action.keep});
  trimming_.emplace(action.worker, Clock::now());
}

void Driver::apply(const schedule::RunTask& action) {
  const auto sequence = next_sequence_++;
  auto message = phase_.message(action.task);
  const pool::Grant grant{action.grant, options_.library_memory};
  if (auto* run = std::get_if<pool::Run>(&message)) {
    define(action.worker, action.task.op);
    run->sequence = sequence;
    run->grant = grant;
    run->threads = action.threads;
    fill_blocks(action, *run);
  } else {
    auto& assemble = std::get<pool::Assemble>(message);
    assemble.sequence = sequence;
    assemble.grant = grant;
  }
  running_[sequence] = {action.task, action.worker, action.grant, action.resident, action.threads, Clock::now()};
  pool_.send(action.worker, message);
}

void Driver::fill_blocks(const schedule::RunTask& action, pool::Run& run) {
  if (phase_.graph->has_dependencies(action.task.op))
    phase_.graph->visit_dependencies(action.task, [&](TaskId task) {
      const auto chunk = chunks_.find(task);
      run.inputs.push_back(chunk == chunks_.end() ? shm::Block{} : chunk->second);
    });
  if (action.resident == Bytes(0)) return;
  run.output = arena_.allocate(action.resident);
  if (action.backup)
    copies_[{action.worker, action.task}] = run.output;
  else
    chunks_[action.task] = run.output;
}

void Driver::define(pool::WorkerNumber worker, schedule::OpIndex op) {
  if (!defined_[worker].insert(op).second) return;
  if (auto definition = phase_.definition(op)) pool_.send(worker, *definition);
}

void Driver::apply(const schedule::FreeChunk& action) {
  const auto chunk = chunks_.find(action.task);
  if (chunk == chunks_.end()) return;
  arena_.free(chunk->second);
  chunks_.erase(chunk);
}

void Driver::apply(const schedule::FreeCopy& action) {
  const auto copy = copies_.find({action.worker, action.task});
  check(copy != copies_.end(), "a second copy's block is gone already");
  arena_.free(copy->second);
  copies_.erase(copy);
}

void Driver::apply(const schedule::ReleaseCached& action) { arena_.release_cached(action.bytes); }

void Driver::apply(const schedule::Finish& action) {
  finished_ = true;
  if (action.cancelled) cancelled();
}

void Driver::apply(const schedule::Fail& action) {
  const auto name = phase_.task_name(action.task);
  switch (action.reason) {
    case schedule::FailureReason::kDoesNotFit:
      throw MemoryError(fmt::format("{}: {}", name, action.what));
    case schedule::FailureReason::kWorkerDeath:
      throw WorkerError(fmt::format("{} failed: {}; {}", name, last_death_, action.what), death_hint_);
    case schedule::FailureReason::kMemory:
    case schedule::FailureReason::kTask:
      break;
  }
  check(last_error_.has_value(), "a task failed without an error");
  auto error = *last_error_;
  // The worker knows its task by numbers; people know it by name and place.
  if (!error.context.empty()) error.context.pop_back();
  error.context.push_back(name);
  throw_error(error);
}

// What comes back from the workers.

void Driver::on(pool::WorkerNumber worker, const pool::Ready&) {
  note_resize(starting_, worker);
  feed(schedule::WorkerReady{worker});
}

void Driver::on(pool::WorkerNumber worker, const pool::Done& event) {
  const auto running = take_running(event.sequence, worker);
  if (killed_.contains(worker)) return;
  if (const auto other = find_other(worker, running.task)) count_copy(worker, running.task, *other);
  if (phase_.on_done) phase_.on_done(running.task);
  const auto record = record_of(running, event.usage);
  recorder_.add(options_.first_op + static_cast<std::size_t>(running.task.op), record);
  feed(schedule::TaskDone{worker, running.task, std::chrono::duration<double>(record.end - record.start).count(),
                          std::chrono::duration<double>(std::chrono::nanoseconds(event.usage.blocked_ns)).count()});
}

void Driver::on(pool::WorkerNumber worker, const pool::Failed& event) {
  const auto running = take_running(event.sequence, worker);
  if (killed_.contains(worker)) return;
  if (const auto other = find_other(worker, running.task)) count_copy(worker, running.task, *other);
  last_error_ = event.error;
  if (event.memory)
    recorder_.notice(fmt::format("{} needs more than its {}: {}", phase_.task_name(running.task),
                                 to_string(running.grant), event.error.what));
  feed(schedule::TaskFailed{worker, running.task, event.memory});
}

void Driver::on(pool::WorkerNumber worker, const pool::Trimmed& event) {
  note_resize(trimming_, worker);
  feed(schedule::WorkerTrimmed{worker, event.held});
}

void Driver::on(pool::WorkerNumber worker, const pool::WorkerGone& event) {
  defined_.erase(worker);
  starting_.erase(worker);
  trimming_.erase(worker);
  note_resize(leaving_, worker);
  seen_stopped_.erase(worker);
  std::vector<TaskId> lost;
  std::erase_if(running_, [&](const auto& entry) {
    if (entry.second.worker == worker) lost.push_back(entry.second.task);
    return entry.second.worker == worker;
  });
  // Where another worker runs a copy, that one's block counts from now on.
  for (const auto& task : lost)
    if (const auto other = killed_.contains(worker) ? std::nullopt : find_other(worker, task))
      count_copy(*other, task, worker);
  if (event.asked) return feed(schedule::WorkerStopped{worker});
  last_death_ = fmt::format("worker {} ended with {}", worker, event.status.describe());
  if (!event.reason.empty()) last_death_ += " (" + event.reason + ")";
  const auto kills = oom_counter_.find_new_kills();
  if (kills)
    death_hint_ = *kills + ": give the run less of the machine with --memory, or free some";
  else if (event.status.signal == SIGKILL)
    death_hint_ = "no out-of-memory kill was counted: somebody or something sent the signal";
  else
    death_hint_ = "the worker's last words, if any, stand above";
  recorder_.notice(kills ? fmt::format("{}: {}", last_death_, *kills) : last_death_);
  const bool memory = kills && event.status.signal == SIGKILL;
  if (memory) last_error_ = MemoryError(last_death_, death_hint_).record();
  feed(schedule::WorkerLost{worker, memory});
}

void Driver::on(pool::WorkerNumber, const pool::DescriptorReady&) { cancelled(); }

/// What a worker was asked since is so.
void Driver::note_resize(Since& since, pool::WorkerNumber worker) {
  const auto asked = since.find(worker);
  if (asked == since.end()) return;
  ++resizes_;
  resize_time_ += Clock::now() - asked->second;
  since.erase(asked);
}

Driver::Running Driver::take_running(std::int64_t sequence, pool::WorkerNumber worker) {
  const auto found = running_.find(sequence);
  check(found != running_.end() && found->second.worker == worker, "an answer to a task that the worker was not given");
  const auto running = found->second;
  running_.erase(found);
  for (auto& [next, waiting] : running_)
    if (waiting.worker == worker) {
      waiting.since = Clock::now();
      break;
    }
  return running;
}

/// Where a task runs at two workers, this one's block is the task's chunk from now on, and `other`'s just a copy.
void Driver::count_copy(pool::WorkerNumber worker, TaskId task, pool::WorkerNumber other) {
  const auto copy = copies_.find({worker, task});
  if (copy == copies_.end()) return;
  copies_[{other, task}] = std::exchange(chunks_[task], copy->second);
  copies_.erase({worker, task});
}

/// Another worker that runs the same task.
std::optional<pool::WorkerNumber> Driver::find_other(pool::WorkerNumber worker, TaskId task) const {
  for (const auto& [sequence, running] : running_)
    if (running.task == task && running.worker != worker) return running.worker;
  return std::nullopt;
}

/// Tells of tasks that have been at work for much longer than others of their op, and ends workers that somebody has
/// stopped: their memory would be missing for ever.
void Driver::look_for_stragglers() {
  const auto now = Clock::now();
  if (now < next_look_) return;
  next_look_ = now + kLookPeriod;
  std::set<pool::WorkerNumber> seen;
  std::vector<schedule::TaskOverdue> overdue;
  for (const auto& [sequence, running] : running_) {
    // Only what a worker is at; what waits behind it has not begun.
    if (!seen.insert(running.worker).second || killed_.contains(running.worker)) continue;
    const auto seconds = std::chrono::duration<double>(now - running.since).count();
    const auto usual = scheduler_.mean_seconds(running.task.op);
    if (scheduler_.done_count(running.task.op) >= kSamples && seconds > std::max(kLongSeconds, kManyTimes * usual))
      overdue.push_back({running.worker, running.task});
    if (seconds > kLongSeconds) end_if_stopped(running.worker);
  }
  for (const auto& [worker, since] : leaving_)
    if (now - since > kPatience) pool_.kill(worker);
  for (const auto& task : overdue) feed(task);
}

/// In pages that are there: what was granted and not touched yet is still with the system.
Bytes Driver::held() const {
  auto sum = arena_.granted() + arena_.cached() + machine::private_memory(getpid());
  for (const auto worker : pool_.workers()) sum += machine::private_memory(pool_.pid(worker));
  return sum;
}

/// Others may take memory while we run: then we hold less, and more again when they are gone.
void Driver::watch_budget() {
  const auto now = Clock::now();
  if (now < next_sample_ || finished_ || options_.schedule.fixed_pool) return;
  next_sample_ = now + kSamplePeriod;
  const auto budget = budget_watch_.decide({machine_available(), held(), scheduler_.least_budget()}, now);
  if (!budget) return;
  recorder_.notice(fmt::format("{} memory beside other programs: {} of {} may be held now",
                               *budget < scheduler_.ledger().budget ? "less" : "more", to_string(*budget),
                               to_string(options_.schedule.budget)));
  feed(schedule::MemoryPressure{*budget});
}

/// Seen stopped twice, so not just while somebody looks at it.
void Driver::end_if_stopped(pool::WorkerNumber worker) {
  if (!machine::is_stopped(pool_.pid(worker))) {
    seen_stopped_.erase(worker);
  } else if (!seen_stopped_.insert(worker).second) {
    recorder_.notice(fmt::format("worker {} was stopped by a signal: it is ended, its task runs again", worker));
    pool_.kill(worker);
  }
}

TaskRecord Driver::record_of(const Running& running, const pool::TaskUsage& usage) const {
  const auto origin = recorder_.start().time_since_epoch();
  TaskRecord record;
  record.op = options_.op_names[static_cast<std::size_t>(running.task.op)];
  record.task = running.task.index;
  record.worker = running.worker;
  record.threads = running.threads;
  record.start = std::chrono::nanoseconds(usage.start_ns) - origin;
  record.end = std::chrono::nanoseconds(usage.end_ns) - origin;
  record.cpu = std::chrono::nanoseconds(usage.cpu_ns);
  record.blocked = std::chrono::nanoseconds(usage.blocked_ns);
  record.projected_mem = running.grant + running.resident;
  record.measured_mem = usage.measured + running.resident;
  record.resident = running.resident;
  record.read = usage.bytes_read;
  record.written = usage.bytes_written;
  record.minor_faults = usage.minor_faults;
  return record;
}

void Driver::show() {
  if (Clock::now() < recorder_.next_show()) return;
  const auto ledger = scheduler_.ledger();
  RunState state;
  state.tasks_done = scheduler_.done_count();
  state.tasks_total = task_total_;
  state.tasks_running = scheduler_.running_count();
  state.workers = scheduler_.worker_count();
  state.held = ledger.total();
  state.granted = ledger.held;
  state.resident = ledger.resident;
  state.cached = ledger.cached + ledger.promised;
  state.budget = ledger.budget;
  recorder_.show(state);
}

std::vector<std::int64_t> Driver::widths_observed() const {
  std::vector<std::int64_t> widths;
  widths.reserve(static_cast<std::size_t>(phase_.graph->op_count()));
  for (schedule::OpIndex op = 0; op < phase_.graph->op_count(); ++op) widths.push_back(scheduler_.width_observed(op));
  return widths;
}

void Driver::add_to(Report& report) const {
  const auto& statistics = scheduler_.statistics();
  report.peak_held = std::max(report.peak_held, statistics.ledger_peak);
  report.workers_started += statistics.workers_started;
  report.resizes += resizes_;
  report.resize_time += resize_time_;
  report.workers_lost += statistics.workers_lost;
  report.retries += statistics.tasks_retried;
  report.block_grants += arena_.grant_count();
  report.block_reuses += arena_.reuse_count();
}

}  // namespace brim::runtime
