#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "brim/array.h"
#include "brim/bytes.h"
#include "interrupt.h"

namespace brim::tool {

/// The same work for every pool.
struct PackWorkload {
  std::string letter;  ///< for --only
  std::string name;
  bool synthetic = false;  ///< tasks without data stand in: they touch memory, compute and wait
  std::vector<Output> outputs = {};
  Bytes task_memory = {};  ///< what tasks may hold in all
  /// Looks at what a run has stored, and removes it. Throws InternalError where values are wrong, or other bytes than
  /// after the run before. Empty where nothing is stored.
  std::function<void()> check = {};
};

/// Operations known by their needs alone, relative to `task_memory`.
std::vector<PackWorkload> synthetic_workloads(Bytes task_memory);

/// What `data_workloads` keeps in its folder at once: input and one result.
Bytes data_workloads_disk(Bytes task_memory);

/// Real operations on four float32 data sets, made in `folder`. Each is as large as what their tasks may hold in all:
/// a quarter of `task_memory`.
std::vector<PackWorkload> data_workloads(const std::filesystem::path& folder, Bytes task_memory, InterruptGuard& guard);

}  // namespace brim::tool
