#include "worker/task_account.h"

#include <algorithm>
#include <chrono>

namespace brim::worker {
namespace {

std::int64_t steady_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

TaskAccount::TaskAccount(const ScratchMemory& scratch)
    : scratch_(scratch), idle_(memory_.counts()), last_(process_times()) {
  reset_peak();
}

void TaskAccount::begin() {
  start_ns_ = steady_ns();
  start_busy_ns_ = asks_clock_ ? clock_.busy_ns() : std::nullopt;
  start_ = memory_.counts();
  // Blocks were given back since: the peak until now still has their pages in it, the start has not.
  if (start_.shared < shared_at_reset_) reset_peak();
}

void TaskAccount::reset_peak() {
  shared_at_reset_ = memory_.counts().shared;
  memory_.reset_peak();
}

void TaskAccount::on_blocks_mapped() {
  start_ = memory_.counts();
  reset_peak();
}

void TaskAccount::on_trim() {
  resident_scratch_ = scratch_.resident(Bytes(0));
  reset_peak();
}

Bytes TaskAccount::beyond_idle(Bytes anonymous, Bytes library) const {
  return std::max(Bytes(0), anonymous - idle_.anonymous() - pool::kIdleHeadroom - library);
}

void TaskAccount::note_times(pool::TaskUsage& usage) {
  // Where tasks are shorter, nobody starts more of them for their waiting, and asking would cost a tenth of them.
  constexpr std::int64_t kWorthAsking = 200'000;
  usage.start_ns = start_ns_;
  usage.end_ns = steady_ns();
  const auto now = process_times();
  usage.minor_faults = now.minor_faults - last_.minor_faults;
  usage.cpu_ns = now.cpu_ns - last_.cpu_ns;
  last_ = now;
  const auto wall = usage.end_ns - usage.start_ns;
  asks_clock_ = wall >= kWorthAsking;
  if (!start_busy_ns_ || !asks_clock_) return;
  if (const auto busy = clock_.busy_ns())
    usage.blocked_ns = std::clamp<std::int64_t>(wall - (*busy - *start_busy_ns_), 0, wall);
}

pool::TaskUsage TaskAccount::end(Bytes peak, Bytes library) {
  pool::TaskUsage usage;
  note_times(usage);
  usage.scratch_peak = peak;
  if (usage.minor_faults == 0) {
    // Nothing was touched for the first time: beside its scratch the process holds what it held before.
    usage.measured = peak + beyond_idle(start_.anonymous() - resident_scratch_, library);
    usage.held = beyond_idle(start_.anonymous(), library);
    return usage;
  }
  // The kernel's peak counts all pages. Shared ones only grow in number during a task, so those at its start are not
  // part of its peak; scratch beyond its own peak was left by others, and stayed as it was.
  const auto kept = scratch_.resident(peak);
  const auto private_peak = memory_.peak_resident() - start_.shared;
  usage.measured = std::max(peak, beyond_idle(private_peak - kept, library));
  usage.held = held(library);
  resident_scratch_ = scratch_.resident(Bytes(0));
  reset_peak();
  return usage;
}

Bytes TaskAccount::held(Bytes library) const { return beyond_idle(memory_.counts().anonymous(), library); }

}  // namespace brim::worker
