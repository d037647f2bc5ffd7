#pragma once

#include <string_view>

namespace brim {

/// How long a run takes at least, whoever schedules it: the largest of the terms. All in seconds. A plain value.
struct LowerBound {
  double memory = 0;         ///< memory x time of all tasks, their workers and resident chunks, over the budget
  double cpu = 0;            ///< CPU time of all tasks, over the cores
  double workers = 0;        ///< time of all tasks, over the most workers; 0 without a limit
  double critical_path = 0;  ///< the longest chain of tasks that wait for one another
  double alone = 0;          ///< time of tasks of which no two fit the budget together

  /// The bound.
  double seconds() const;
  /// Which term it is, in words: "memory x time", "CPU time", "time / workers", "critical path", "tasks over half".
  std::string_view binding() const;
};

}  // namespace brim
