#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "storage/file.h"

namespace brim::storage {

/// What a run computes from what: a run is gone on with only where all of it is the same.
struct RunIdentity {
  std::uint64_t plan = 0;    ///< checksum of operations, outputs and chunk grids
  std::uint64_t inputs = 0;  ///< checksum of the names and stamps of all files that are read
};

/// A task whose result is in the output file for good.
struct FinishedTask {
  std::int32_t op = 0;
  std::int64_t index = 0;
  friend auto operator<=>(const FinishedTask&, const FinishedTask&) = default;
};

/// The file beside an unfinished output that says which tasks are finished. Append-only, every record with its
/// checksum: whatever a kill cuts off is not counted. Like the output itself not made durable against power loss.
class Journal {
 public:
  /// Where the journal of an output lies.
  static std::string path(const std::string& output);
  /// Makes it new.
  Journal(const std::string& output, const RunIdentity& identity, std::uint64_t mark);
  /// The journal that an earlier run left; nothing where there is none that is whole at its beginning. Throws
  /// StorageError when it belongs to another run: other plan, other inputs, or another `mark`, which tells the
  /// unfinished file and the output that it is to replace.
  static std::optional<Journal> find(const std::string& output, const RunIdentity& identity, std::uint64_t mark);

  const std::vector<FinishedTask>& finished() const { return finished_; }
  void add(FinishedTask task);

 private:
  explicit Journal(File file) : file_(std::move(file)) {}
  File file_;
  std::int64_t end_ = 0;
  std::vector<FinishedTask> finished_;  ///< by earlier runs
};

}  // namespace brim::storage
