#include "schedule/scheduler.h"

#include "schedule/run_control.h"

namespace brim::schedule {

class Scheduler::Impl : public RunControl {
 public:
  using RunControl::RunControl;
};

Scheduler::Scheduler(const TaskGraph& graph, const Options& options) : impl_(std::make_unique<Impl>(graph, options)) {}
Scheduler::~Scheduler() = default;
Scheduler::Scheduler(Scheduler&&) noexcept = default;
Scheduler& Scheduler::operator=(Scheduler&&) noexcept = default;

void Scheduler::on_event(const Event& event, std::vector<Action>& actions) { impl_->on_event(event, actions); }

bool Scheduler::finished() const { return impl_->finished(); }
LedgerTotals Scheduler::ledger() const { return impl_->state().ledger.totals(); }
Bytes Scheduler::in_use() const { return impl_->state().running_grants + impl_->state().ledger.totals().resident; }

Statistics Scheduler::statistics() const {
  auto statistics = impl_->state().statistics;
  statistics.ledger_peak = impl_->state().ledger.peak();
  statistics.resident_peak = impl_->state().ledger.resident_peak();
  return statistics;
}

std::int64_t Scheduler::done_count() const { return impl_->state().frontier.done_count(); }
std::int64_t Scheduler::done_count(OpIndex op) const { return impl_->state().frontier.done_count(op); }
std::int64_t Scheduler::running_count() const { return impl_->state().running_total; }
std::int64_t Scheduler::running_count(OpIndex op) const {
  return impl_->state().running.at(static_cast<std::size_t>(op));
}
std::int64_t Scheduler::width_observed(OpIndex op) const {
  return impl_->state().width_observed.at(static_cast<std::size_t>(op));
}

double Scheduler::mean_seconds(OpIndex op) const {
  return impl_->state().mean_seconds.at(static_cast<std::size_t>(op));
}

double Scheduler::grant_factor(OpIndex op) const {
  return impl_->state().grant_factor.at(static_cast<std::size_t>(op));
}

std::vector<RunningTask> Scheduler::running() const {
  std::vector<RunningTask> running;
  for (const auto& [number, worker] : impl_->state().workers.all())
    if (worker.state == WorkerState::kBusy)
      running.push_back({worker.running->task, number, worker.running->memory.temporary,
                         worker.running->memory.resident, worker.threads});
  return running;
}

Bytes Scheduler::least_budget() const {
  const auto& state = impl_->state();
  const auto totals = state.ledger.totals();
  return totals.coordinator + state.options.reserved_mem + totals.resident + totals.promised + state.sequential_peak +
         state.beyond_projection;
}

std::int64_t Scheduler::worker_count() const { return impl_->state().workers.count(); }
std::int64_t Scheduler::idle_worker_count() const { return impl_->state().workers.idle_count(); }
bool Scheduler::waits_for_memory() const { return impl_->waits_for_memory(); }
bool Scheduler::waits_for_budget() const { return impl_->waits_for_budget(); }

}  // namespace brim::schedule
