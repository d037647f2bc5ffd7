#include "schedule/admission.h"

#include <algorithm>

/// Why the run cannot come to a stand with tasks left (D8a; docs/no-deadlock.md tells it at length).
///
/// Let M be the budget less the coordinator and one worker's reserved_mem, S the sequential peak, k the position of the
/// lead in the sequential order. Live chunks are of two kinds: those of tasks before k, which the sequential
/// order holds at k as well (some task that needs them is not done, and it is not before k); and the lead's own and
/// `extras`: chunks of tasks behind k that are done or assigned.
///
///   Invariant: extras + S <= M.
///
/// It holds at the start. A task behind k with a chunk is assigned only if it holds afterwards (keeps_order() below);
/// the lead's own chunk is no extra. When the lead moves on, chunks pass from extras to in order, never back. Failures
/// and deaths of workers remove chunks of tasks that are not done; done tasks stay done.
///
/// Let tasks be left and nothing move. Running tasks end, so none runs; the lead is ready, for all it depends on is
/// before it. Cached blocks are released at once, idle workers trimmed and stopped until one worker is left that holds
/// no more than the lead needs. The lead needs at most S less the in-order chunks; with them, extras and
/// everything else that is left, the total is at most coordinator + reserved + extras + S <= budget: it fits. Others
/// cannot keep it from there: it is asked first, and after bypass_limit starts nothing else starts.
namespace brim::schedule {
namespace {

/// Memory for tasks and chunks, when one worker lives (adaptive) or beside the pool's other workers (fixed).
Bytes task_budget(const RunState& state) {
  const auto left = state.ledger.totals().budget - state.options.coordinator_mem - state.options.reserved_mem;
  if (!state.options.fixed_pool) return left;
  const auto& pool = *state.options.fixed_pool;
  return left - (state.options.reserved_mem + pool.grant) * (pool.workers - 1);
}

/// M of the invariant. A fixed pool's grants cannot be used for chunks; where the sequential peak does not fit without
/// them, the pool may dead-end, and does so with an error.
Bytes order_budget(const RunState& state) {
  const auto whole = task_budget(state);
  if (!state.options.fixed_pool) return whole;
  const auto chunks = whole - state.options.fixed_pool->grant;
  return state.sequential_peak <= chunks ? chunks : whole;
}

/// The banker's test: after this start, the sequential order could still go on from the lead alone.
bool keeps_order(const RunState& state, const ReadyTask& task, Bytes resident) {
  if (resident == Bytes(0) || state.lead.is(task.task)) return true;
  const auto sequential = state.sequential_peak + state.beyond_projection;
  return state.chunks.extras(state.lead.task()) + resident + sequential <= order_budget(state);
}

/// Where ops do not overlap: are tasks of earlier ops left? The lead's op is the first that is not done.
bool waits_for_ops(const RunState& state, OpIndex op) {
  return !state.options.overlap && state.lead.task() && state.lead.task()->op != op;
}

/// The idle worker to run on, if any. One that holds much is left to tasks that need it, where another can grow.
std::optional<WorkerNumber> choose_idle(const RunState& state, Bytes grant, Bytes resident) {
  const auto& workers = state.workers;
  const auto fitting = workers.find_idle(grant);
  if (!fitting || state.options.fixed_pool || workers.at(*fitting).held <= grant * 2) return fitting;
  const auto leaner = workers.find_leaner_idle(grant);
  if (!leaner || grant - workers.at(*leaner).held + resident > state.ledger.free_without_cache()) return fitting;
  return leaner;
}

/// May a task wait behind what this worker runs?
bool may_queue(const RunState& state, const Worker& worker) {
  const auto seconds = state.mean_seconds[static_cast<std::size_t>(worker.running->task.op)];
  return seconds >= 0 && seconds <= state.options.prefetch_limit_seconds;
}

/// A worker to queue the task at, if there are tasks enough that no worker will wait for this one's.
std::optional<WorkerNumber> find_queue(const RunState& state, Bytes grant, Bytes resident) {
  const auto& workers = state.workers;
  if (!state.options.prefetch || state.frontier.ready_count() < workers.count()) return std::nullopt;
  const auto free = state.ledger.free_without_cache() - resident;
  if (free < Bytes(0)) return std::nullopt;
  // Where memory is what limits the number of workers, those that hold much are for tasks that need much.
  const bool crowded = !state.options.fixed_pool && workers.count() < state.worker_limit();
  const auto fits = [&](const Worker& worker) {
    return worker.held >= grant && (!crowded || worker.held <= grant * 2) && may_queue(state, worker);
  };
  if (const auto worker = workers.find_queue(fits)) return worker;
  return workers.find_queue([&](const Worker& worker) {
    return worker.held < grant && grant - worker.held <= free && may_queue(state, worker);
  });
}

/// An op at its limit: the next task may wait behind one of the same op, so that its lane is never empty.
std::optional<WorkerNumber> find_lane(const RunState& state, const ReadyTask& task) {
  if (!state.options.prefetch || state.frontier.ready_count() < state.workers.count()) return std::nullopt;
  const auto resident = charged_block(task.memory.resident);
  return state.workers.find_queue([&](const Worker& worker) {
    const auto growth = std::max(Bytes(0), task.memory.temporary - worker.held);
    return worker.running->task.op == task.task.op && growth + resident <= state.ledger.free_without_cache() &&
           may_queue(state, worker);
  });
}

Admission judge_full_machine(const RunState& state, const ReadyTask& task, Bytes grant, Bytes resident) {
  const auto& workers = state.workers;
  const bool may_start =
      state.has_core() && (workers.idle_count() > 0 || workers.active_count() < state.worker_limit());
  const auto need = workers.reserved() + grant + resident;
  const auto reach = state.ledger.free_without_cache() + workers.idle_bytes() + workers.stopping_bytes();
  const bool fixed = state.options.fixed_pool.has_value();
  if (!fixed && may_start && need <= reach && workers.idle_bytes() + workers.stopping_bytes() > Bytes(0))
    return {Verdict::kReclaim};
  if (const auto worker = find_queue(state, grant, resident)) return {Verdict::kQueue, *worker};
  if (!may_start && !(state.options.prefetch && workers.has_queue())) return {Verdict::kNoWorker};
  if (!state.lead.is(task.task) && grant + resident > room_alone(state)) return {Verdict::kTooEarly};
  return {Verdict::kBlocked, -1, std::max(Bytes(0), need - reach)};
}

}  // namespace

bool within_width(const RunState& state, OpIndex op) {
  const auto limit = state.facts[static_cast<std::size_t>(op)].width_limit;
  return limit == 0 || state.assigned[static_cast<std::size_t>(op)] < limit;
}

Admission judge(const RunState& state, const ReadyTask& task) {
  const auto resident = charged_block(task.memory.resident);
  const auto grant = task.memory.temporary;
  if (waits_for_ops(state, task.task.op)) return {Verdict::kTooEarly};
  if (!keeps_order(state, task, resident)) return {Verdict::kTooEarly};
  if (!within_width(state, task.task.op)) {
    const auto lane = find_lane(state, task);
    return lane ? Admission{Verdict::kQueue, *lane} : Admission{Verdict::kTooEarly};
  }
  const auto& workers = state.workers;
  const auto free = state.ledger.free_without_cache();
  if (!state.has_core()) return judge_full_machine(state, task, grant, resident);
  if (const auto worker = choose_idle(state, grant, resident)) {
    const auto growth = std::max(Bytes(0), grant - workers.at(*worker).held);
    if (growth + resident <= free) return {Verdict::kIdleWorker, *worker};
  } else if (workers.count() < state.worker_limit() && workers.reserved() + grant + resident <= free) {
    return {Verdict::kNewWorker};
  }
  return judge_full_machine(state, task, grant, resident);
}

Bytes room_alone(const RunState& state) {
  const auto& totals = state.ledger.totals();
  return task_budget(state) - totals.resident - totals.promised;
}

bool can_ever_fit(const RunState& state, const TaskMemory& memory) {
  const auto resident = charged_block(memory.resident);
  const auto& options = state.options;
  if (const auto& pool = options.fixed_pool)
    return memory.temporary <= pool->grant &&
           options.coordinator_mem + (options.reserved_mem + pool->grant) * pool->workers + resident <= options.budget;
  return options.coordinator_mem + options.reserved_mem + memory.temporary + resident <= options.budget;
}

}  // namespace brim::schedule
