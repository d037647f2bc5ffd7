#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <vector>

#include "schedule/events.h"

namespace brim::schedule {

/// The cores of a simulated machine. Threads at work share them evenly, as an operating system does: with more threads
/// than cores, each runs that much slower.
class SharedCores {
 public:
  explicit SharedCores(std::int32_t cores) : cores_(cores) {}

  /// From now on a worker has `cpu_seconds` to do, evenly on `threads` threads. Not before it has ended what it had.
  void start(double now, WorkerNumber worker, std::int32_t threads, double cpu_seconds);
  /// When the next worker ends, if none starts before. Nothing when none is at work.
  std::optional<double> next_end() const;
  /// Takes out the worker that ends at next_end().
  WorkerNumber end_next();

 private:
  struct Job {
    double end;            ///< in `served_` seconds
    std::uint64_t number;  ///< first come, first served
    WorkerNumber worker;
    std::int32_t threads;
    friend bool operator>(const Job& a, const Job& b) { return a.end != b.end ? a.end > b.end : a.number > b.number; }
  };

  /// Seconds of CPU time that a thread gets in a second.
  double rate() const { return threads_ <= cores_ ? 1.0 : static_cast<double>(cores_) / static_cast<double>(threads_); }

  std::int32_t cores_;
  std::priority_queue<Job, std::vector<Job>, std::greater<>> jobs_;
  std::uint64_t next_number_ = 0;
  std::int64_t threads_ = 0;  ///< of all jobs
  double now_ = 0;
  double served_ = 0;  ///< CPU time that a thread has got that was always at work
};

}  // namespace brim::schedule
