#pragma once

#include <cstdint>
#include <vector>

#include "schedule/task_graph.h"

namespace brim::schedule {

/// How much of their time tasks wait for something other than a core (storage, a network), op by op, as their finished
/// tasks tell. What running tasks leave unused so, others may use: the pool may be wider than the cores.
class WaitingShare {
 public:
  explicit WaitingShare(std::size_t ops) : ops_(ops) {}

  /// A task of this op is done.
  void note(OpIndex op, double seconds, double blocked_seconds);
  /// `change` more tasks of this op are at work.
  void count_running(OpIndex op, int change);
  /// Cores that the tasks at work leave unused, a started one counted whole.
  std::int64_t unused_cores() const { return (unused_ + kWhole - 1) / kWhole; }
  /// How many tasks of this op alone keep so many cores at work.
  std::int64_t width_to_fill(OpIndex op, std::int64_t cores) const {
    return cores * kWhole / (kWhole - ops_[static_cast<std::size_t>(op)].applied);
  }

 private:
  /// Shares are counted in thousandths: sums of whole numbers do not drift.
  static constexpr std::int64_t kWhole = 1000;

  struct Op {
    std::int64_t samples = 0;
    double mean = 0;           ///< of recent tasks
    std::int64_t applied = 0;  ///< what counts; follows the mean when it has moved far enough
    std::int64_t running = 0;
  };

  std::vector<Op> ops_;
  std::int64_t unused_ = 0;
};

}  // namespace brim::schedule
