#pragma once

#include <functional>
#include <string>
#include <vector>

#include "brim/machine.h"
#include "interrupt.h"
#include "pack/workloads.h"
#include "pools.h"

namespace brim::tool {

/// What the runs of one pool came to. The worst of all rounds, where nothing else is said.
struct PackCell {
  Pool pool;
  std::string refusal = {};            ///< why it cannot run the workload; empty: it can
  std::vector<double> seconds = {};    ///< makespan of each round
  double simulated_seconds = 0;        ///< makespan with a virtual clock and the task times of the adaptive pool
  double memory_bound = 0;             ///< share of the time in which a task waited for memory, in the last round
  double memory_bound_used = 0;        ///< share of budget x that time that tasks held
  Bytes overshoot = {};                ///< most that its processes held beyond the budget
  double measured_over_projected = 0;  ///< of the task that came nearest to its projection
  std::int64_t retries = 0;            ///< tasks run again
  std::int64_t resizes = 0;            ///< workers started, trimmed and stopped
  double resize_seconds = 0;           ///< what that took, summed over workers
  double faults_per_task = 0;          ///< minor page faults

  double median_seconds() const;
};

/// What the pools made of one workload. The adaptive pool is the first cell.
struct PackResult {
  PackWorkload workload;
  Bytes budget;
  std::int64_t tasks = 0;
  LowerBound bound = {};  ///< from the task times of the adaptive pool
  std::vector<PackCell> cells = {};

  /// The adaptive pool's time over that of the fastest fixed pool that can run the workload; 0 where none can.
  double to_best_fixed() const;
};

/// Runs the workload `rounds` times in every pool, in turns, so that a machine that grows slower or faster meanwhile
/// favours none. `progress` is told what comes next. Throws what ends the adaptive pool's run; MemoryError where the
/// machine has not the memory.
PackResult measure(const PackWorkload& workload, const Machine& machine, std::int64_t rounds, InterruptGuard& guard,
                   const std::function<void(const std::string&)>& progress);

}  // namespace brim::tool
