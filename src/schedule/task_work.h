#pragma once

#include <functional>

#include "schedule/task_graph.h"

namespace brim::schedule {

/// What a task has to do, whatever else runs: so much CPU time, which its threads share, then so much waiting for
/// something other than a core.
struct TaskWork {
  double cpu_seconds = 0;
  double wait_seconds = 0;
};

/// Asked once and again; the same task has the same work.
using WorkOf = std::function<TaskWork(TaskId)>;

}  // namespace brim::schedule
