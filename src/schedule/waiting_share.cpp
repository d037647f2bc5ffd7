#include "schedule/waiting_share.h"

#include <algorithm>
#include <cmath>

namespace brim::schedule {
namespace {

/// The first tasks open files and load code.
constexpr std::int64_t kSamples = 4;
constexpr double kWeight = 0.25;
/// Less waiting than this is that of tasks at work; and a share that moves by less changes nothing.
constexpr double kSmallest = 0.3;
constexpr double kStep = 0.1;
/// No op counts as waiting all the time: its width stays within 20 times the cores.
constexpr double kLargest = 0.95;

}  // namespace

void WaitingShare::note(OpIndex number, double seconds, double blocked_seconds) {
  if (seconds <= 0) return;
  auto& op = ops_[static_cast<std::size_t>(number)];
  const auto share = std::clamp(blocked_seconds / seconds, 0.0, kLargest);
  op.mean = op.samples == 0 ? share : op.mean + kWeight * (share - op.mean);
  if (++op.samples < kSamples) return;
  const auto wanted = op.mean < kSmallest ? 0.0 : op.mean;
  if (std::abs(wanted - static_cast<double>(op.applied) / kWhole) < kStep) return;
  const auto before = op.applied;
  op.applied = static_cast<std::int64_t>(wanted * kWhole);
  unused_ += op.running * (op.applied - before);
}

void WaitingShare::count_running(OpIndex number, int change) {
  auto& op = ops_[static_cast<std::size_t>(number)];
  op.running += change;
  unused_ += op.applied * change;
}

}  // namespace brim::schedule
