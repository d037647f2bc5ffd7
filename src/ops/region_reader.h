#pragma once

#include <span>

#include "ops/op.h"
#include "storage/source.h"

namespace brim::ops {

/// Reads regions of one data set for tasks, shared out among the threads of a task.
class RegionReader {
 public:
  explicit RegionReader(const storage::Source& source);

  /// As storage::Reader::read(). Takes storage::read_scratch() of the task's scratch for each of its threads.
  Bytes read(const Box& region, std::span<std::byte> destination, TaskContext& context);

 private:
  std::vector<Box> parts(const Box& region, int threads) const;

  const storage::Source& source_;
  std::int64_t scratch_bytes_;
  storage::Reader reader_;
};

}  // namespace brim::ops
