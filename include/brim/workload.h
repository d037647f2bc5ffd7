#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "brim/array.h"

namespace brim {

/// Evaluates one expression of the language of `brim eval` and workload files over named arrays. `source` names the
/// text in errors. Throws UsageError "SOURCE:LINE:COLUMN: ..." with the place underlined and the likely meaning.
Array evaluate(const std::string& expression, const std::map<std::string, Array>& names,
               const std::string& source = "expression");

/// Every function of the language with its arguments, one per line.
std::string language_help();

/// What the [run] table of a workload file says; nothing where it is silent.
struct RunSettings {
  std::optional<Bytes> memory;          ///< the whole budget
  std::optional<Bytes> task_memory;     ///< or: what tasks may hold, overheads on top
  std::optional<std::int64_t> workers;  ///< 0: "unlimited"
  std::optional<std::string> scratch;   ///< folder for what lies on disk only during the run
};

/// A workload file, read and checked: arrays under their names, and where they go.
struct Workload {
  std::map<std::string, Array> arrays;
  std::vector<Output> outputs;
  RunSettings run;
};

/// Reads a TOML workload with the tables [inputs], [compute], [outputs] and [run]; opens its inputs' metadata. Relative
/// paths are relative to the file. Throws UsageError with file, line and column for everything that is wrong with it:
/// syntax, unknown keys and names, cycles, unused names, outputs that overwrite an input or each other, shapes that do
/// not fit; StorageError for inputs that cannot be opened.
Workload load_workload(const std::string& file);

}  // namespace brim
