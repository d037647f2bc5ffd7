#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "brim/error.h"
#include "runtime/history_reader.h"
#include "runtime/task_times.h"

namespace brim {
namespace {

/// What the histories of compressed outputs have beside the plan's ops.
constexpr const char* kAssembly = "assemble";

/// Sums the tasks of a history of this plan.
class TimesOfHistory {
 public:
  TimesOfHistory(const PhysicalPlan& plan, const std::string& file) : plan_(plan), reader_(file) {}

  TaskTimes read(const std::string& file) {
    while (const auto event = reader_.next()) {
      if (const auto* start = std::get_if<runtime::HistoryStart>(&*event)) on_start(*start);
      if (const auto* task = std::get_if<runtime::HistoryTask>(&*event)) on_task(*task);
    }
    return sum_.means(plan_, file);
  }

 private:
  [[noreturn]] void foreign(const std::string& what) const {
    throw UsageError(fmt::format("{}: the history of another workload: {}", reader_.place(), what),
                     "measure this workload: brim run WORKLOAD --history FILE");
  }

  void on_start(const runtime::HistoryStart& start) {
    for (const auto& op : start.ops) {
      names_.insert(op.name);
      compare(op);
    }
    for (const auto& op : plan_.ops)
      if (op.task_count() > 0 && !names_.contains(op.name)) foreign(fmt::format("it has no op {}", op.name));
  }

  /// An op is the same one when its tasks are as many; a combine may fold more or fewer on another machine.
  void compare(const runtime::HistoryOp& there) {
    const auto op = std::find_if(plan_.ops.begin(), plan_.ops.end(),
                                 [&](const ops::PhysicalOp& other) { return other.name == there.name; });
    if (op == plan_.ops.end()) return;
    if (op->kind() != there.kind)
      foreign(fmt::format("op {} is a {} there, a {} here", there.name, there.kind, op->kind()));
    if (op->task_count() != there.tasks && !std::holds_alternative<ops::Combine>(op->detail))
      foreign(fmt::format("op {} has {} tasks there, {} here", there.name, there.tasks, op->task_count()));
    sum_.set_task_count(there.name, there.tasks);
  }

  void on_task(const runtime::HistoryTask& task) {
    if (names_.contains(task.op))
      sum_.add(task.op, task.start, task.cpu, task.blocked);
    else if (task.op != kAssembly)
      reader_.damaged(fmt::format("a task of op {}, which the start event does not name", task.op));
  }

  const PhysicalPlan& plan_;
  runtime::HistoryReader reader_;
  std::set<std::string> names_;
  runtime::TimeSum sum_;
};

}  // namespace

TaskTimes read_history_times(const Plan& plan, const std::string& file) {
  return TimesOfHistory(plan.physical(), file).read(file);
}

}  // namespace brim
