#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/history_reader.h"
#include "runtime/time_bins.h"

namespace brim::runtime {

/// One op, summed over the tasks of a history.
struct OpDigest {
  HistoryOp plan;
  bool planned = true;  ///< the plan names it; putting files together is not in the plan
  std::int64_t tasks = 0;
  std::int64_t width = 0;  ///< most tasks at once; 0 where no final line tells it
  Bytes projected;         ///< of the largest task
  Bytes measured;          ///< largest
  double busy = 0;         ///< seconds, summed
  double cpu = 0;
  double first_start = 0;
  double last_end = 0;
  Bytes read;
  Bytes written;
  std::int64_t minor_faults = 0;
};

/// What one worker did in one bin: seconds of the ops that took most of it. Exact for up to three ops.
struct LaneCell {
  struct Part {
    std::int32_t op = -1;
    float seconds = 0;
  };
  std::array<Part, 3> parts = {};
  float busy = 0;

  void add(std::int32_t op, float seconds);
  LaneCell& operator+=(const LaneCell& other);
  /// The op that took most; -1 for an idle worker.
  std::int32_t main_op() const;
};

/// Tasks that ran in one bin: bytes x seconds, private memory only.
struct MemoryCell {
  double projected = 0;
  double measured = 0;

  MemoryCell& operator+=(const MemoryCell& other) {
    projected += other.projected;
    measured += other.measured;
    return *this;
  }
};

/// The state of a bin that held most; `filled` where there was one.
struct StateCell {
  HistoryState state;
  bool filled = false;

  StateCell& operator+=(const StateCell& other);
};

/// A worker's track.
struct Lane {
  std::int64_t worker = 0;
  std::int64_t tasks = 0;
  double busy = 0;  ///< seconds
  BinCells<LaneCell> cells = BinCells<LaneCell>(TimeBins::kCount);
};

/// A task as it went, for runs with few of them.
struct TaskDetail {
  std::int32_t op = 0;
  std::int32_t lane = 0;
  HistoryTask task;
};

/// A whole history in bounded memory: sums per op, and bins over time.
struct RunDigest {
  static constexpr std::size_t kDetailLimit = 4000;
  static constexpr std::size_t kLaneLimit = 256;
  static constexpr std::size_t kNoticeLimit = 200;

  HistoryStart start;
  std::optional<HistoryFinish> finish;
  bool cut = false;        ///< the last line was left out
  std::int64_t tasks = 0;  ///< lines of tasks
  double end = 0;          ///< seconds; of the run, or of the last event known
  Bytes peak_held;         ///< as the final line says, else as seen
  TimeBins bins;
  std::vector<OpDigest> ops;
  std::vector<BinCells<double>> busy;  ///< seconds of tasks, one row an op
  BinCells<MemoryCell> memory = BinCells<MemoryCell>(TimeBins::kCount);
  BinCells<StateCell> states = BinCells<StateCell>(TimeBins::kCount);
  std::vector<Lane> lanes;
  std::int64_t tasks_without_lane = 0;
  std::vector<TaskDetail> details;  ///< every task, or none if there are too many
  std::vector<HistoryNotice> notices;
  std::int64_t notices_left_out = 0;
};

/// Reads a history once, line by line. Throws StorageError with file and line for what is not one.
RunDigest digest_history(const std::string& path);

}  // namespace brim::runtime
