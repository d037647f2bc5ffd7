#include "runtime/run_recorder.h"

#include <algorithm>

namespace brim::runtime {
namespace {

/// A hundredth of the time gone by, within limits: a run of half a second is seen a few hundred times, one of a day ten
/// times a second.
Clock::duration show_period(Clock::duration elapsed) {
  constexpr Clock::duration kShortest = std::chrono::milliseconds(2);
  constexpr Clock::duration kLongest = std::chrono::milliseconds(100);
  return std::clamp(elapsed / 100, kShortest, kLongest);
}

double seconds(Clock::duration time) { return std::chrono::duration<double>(time).count(); }

}  // namespace

RunRecorder::RunRecorder(const Plan& plan, std::vector<std::shared_ptr<Observer>> observers)
    : observers_(std::move(observers)), budget_(plan.budget()) {
  for (const auto& op : plan.ops()) {
    OpReport row;
    row.name = op.name;
    row.width_planned = op.width;
    row.projected_mem = op.projected_mem;
    ops_.push_back(row);
  }
  for (const auto& observer : observers_) observer->on_start(plan);
}

void RunRecorder::add(std::size_t op, const TaskRecord& task) {
  read_ += task.read;
  written_ += task.written;
  for (const auto& observer : observers_) observer->on_task(task);
  if (op >= ops_.size()) return;
  auto& row = ops_[op];
  if (row.tasks++ == 0) row.first_start = task.start;
  row.first_start = std::min(row.first_start, task.start);
  row.last_end = std::max(row.last_end, task.end);
  row.measured_mem = std::max(row.measured_mem, task.measured_mem);
  row.busy += task.end - task.start;
  row.cpu += task.cpu;
  row.read += task.read;
  row.written += task.written;
  row.minor_faults += task.minor_faults;
}

void RunRecorder::notice(const std::string& text) {
  for (const auto& observer : observers_) observer->on_notice(text);
}

void RunRecorder::set_in_use(Bytes in_use, bool waits_for_memory) {
  const auto now = Clock::now();
  memory_time_.pass(seconds(now - in_use_since_), in_use_, waits_for_memory_);
  waits_for_memory_ = waits_for_memory;
  in_use_ = in_use;
  in_use_since_ = now;
}

void RunRecorder::show(RunState state) {
  const auto now = Clock::now();
  if (now < next_show_) return;
  next_show_ = now + show_period(now - start_);
  state.elapsed = now - start_;
  state.bytes_read = read_;
  state.bytes_written = written_;
  for (const auto& observer : observers_) observer->on_state(state);
}

Report RunRecorder::finish(Report report, const std::vector<std::int64_t>& widths_observed) {
  set_in_use(Bytes(0), false);
  report.wall = Clock::now() - start_;
  report.budget = budget_;
  report.ops = ops_;
  for (std::size_t i = 0; i < report.ops.size() && i < widths_observed.size(); ++i)
    report.ops[i].width_observed = widths_observed[i];
  for (const auto& op : report.ops) report.tasks += op.tasks;
  report.memory_time_used = memory_time_.used(budget_, seconds(report.wall));
  report.memory_bound = std::chrono::nanoseconds(static_cast<std::int64_t>(memory_time_.bound_seconds() * 1e9));
  report.memory_bound_used = memory_time_.bound_used(budget_);
  for (const auto& observer : observers_) observer->on_finish(report);
  return report;
}

}  // namespace brim::runtime
