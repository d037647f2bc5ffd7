#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "brim/executor.h"
#include "schedule/memory_time.h"

namespace brim::runtime {

using Clock = std::chrono::steady_clock;

/// Adds up what happens in a run and tells the observers.
class RunRecorder {
 public:
  RunRecorder(const Plan& plan, std::vector<std::shared_ptr<Observer>> observers);

  Clock::time_point start() const { return start_; }
  /// A task of op number `op` is done; numbers past the plan's ops are told to observers only.
  void add(std::size_t op, const TaskRecord& task);
  void notice(const std::string& text);
  /// Notes how many bytes tasks and resident chunks hold from now on, and whether a task waits for memory.
  void set_in_use(Bytes in_use, bool waits_for_memory);
  /// Completes `state` with the times and byte counts known here and shows it if it is due.
  void show(RunState state);
  /// When show() is due next.
  Clock::time_point next_show() const { return next_show_; }
  /// Completes the report with everything recorded and hands it to the observers.
  Report finish(Report report, const std::vector<std::int64_t>& widths_observed);

 private:
  std::vector<std::shared_ptr<Observer>> observers_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_show_ = start_;
  std::vector<OpReport> ops_;
  Bytes read_;
  Bytes written_;
  Bytes budget_;
  Bytes in_use_;
  Clock::time_point in_use_since_ = start_;
  bool waits_for_memory_ = false;
  schedule::MemoryTime memory_time_;
};

}  // namespace brim::runtime
