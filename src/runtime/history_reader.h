#pragma once

#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "brim/bytes.h"

namespace brim::runtime {

// The lines of a history file as values. Times are in seconds since the start of the run.

struct HistoryOp {
  std::string name;
  std::string kind;
  std::int64_t tasks = 0;
  std::int64_t width = 0;
  Bytes projected_mem;
  Bytes spilled;
  std::vector<std::string> fused;
  std::vector<std::string> after;
};

struct HistoryStart {
  Bytes budget;
  Bytes minimum_budget;
  std::int64_t total_tasks = 0;
  std::vector<HistoryOp> ops;
};

struct HistoryTask {
  std::string op;
  std::int64_t task = 0;
  std::int64_t worker = 0;
  std::int64_t threads = 1;
  double start = 0;
  double end = 0;
  double cpu = 0;
  double blocked = 0;
  Bytes projected_mem;
  Bytes measured_mem;
  Bytes resident;
  Bytes read;
  Bytes written;
  std::int64_t minor_faults = 0;
};

struct HistoryState {
  double time = 0;
  std::int64_t running = 0;
  std::int64_t workers = 0;
  Bytes held;
  Bytes granted;
  Bytes resident;
  Bytes cached;
  Bytes budget;
};

struct HistoryNotice {
  double time = 0;
  std::string text;
};

struct HistoryFinish {
  double wall_seconds = 0;
  std::int64_t tasks = 0;
  Bytes peak_held;
  double memory_time_used = 0;
  std::int64_t workers_started = 0;
  std::int64_t workers_lost = 0;
  std::int64_t retries = 0;
  std::int64_t block_grants = 0;
  std::int64_t block_reuses = 0;
  std::vector<std::int64_t> widths;  ///< most tasks at once, of each op of the plan
};

/// What brim of another version may have written: read and passed over.
struct HistoryUnknown {};

using HistoryEvent =
    std::variant<HistoryStart, HistoryTask, HistoryState, HistoryNotice, HistoryFinish, HistoryUnknown>;

/// Reads a history line by line; holds one line at a time. Whatever is not as a run writes it is a StorageError that
/// names file and line, but for a last line that was cut: a killed run leaves that.
class HistoryReader {
 public:
  /// Throws StorageError where there is no such file.
  explicit HistoryReader(std::string path);

  /// The next event; nothing at the end. The first is a HistoryStart, and no other is.
  std::optional<HistoryEvent> next();
  /// The last line was cut short and left out.
  bool cut() const { return cut_; }
  /// For messages: "run.jsonl:17".
  std::string place() const;
  /// Throws StorageError about the line that next() gave last.
  [[noreturn]] void damaged(const std::string& what) const;

 private:
  std::string path_;
  std::ifstream stream_;
  std::int64_t line_ = 0;
  bool cut_ = false;
  bool started_ = false;
};

}  // namespace brim::runtime
