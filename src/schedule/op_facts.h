#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "schedule/task_graph.h"

namespace brim::schedule {

/// What the graph says of an op as a whole, asked once.
struct OpFacts {
  std::int64_t task_count = 0;
  std::int64_t width_limit = 0;
  std::int32_t thread_limit = 1;
  bool has_dependencies = false;
  bool has_dependents = false;
  Bytes temporary = Bytes(0);  ///< of its first task; those of most ops are alike
  bool is_root = true;         ///< the sequential order enters it for itself, not for what depends on it
};

/// Without `overlap` every op is a root: the sequential order is op by op.
std::vector<OpFacts> facts_of(const TaskGraph& graph, bool overlap = true);

/// An upper bound of what the sequential order op by op holds at once (temporary + resident): the chunks of an op, all
/// of them, from its start to the end of the last op that reads them. Visits every task and dependency.
Bytes peak_op_by_op(const TaskGraph& graph);

/// The ops in the order in which the sequential order enters them: roots in op order; then the others from the last to
/// the first, for tasks that nothing depends on although something depends on others of their op. Backwards, because
/// then whatever such a task feeds was entered before it.
std::vector<OpIndex> sequential_entries(const std::vector<OpFacts>& facts);

/// How many of sequential_entries() are roots.
std::size_t root_count(const std::vector<OpFacts>& facts);

struct TaskHash {
  std::size_t operator()(const TaskId& task) const {
    auto mixed = static_cast<std::uint64_t>(task.index) * 0x9E3779B97F4A7C15U;
    mixed ^= (static_cast<std::uint64_t>(task.op) + 1) * 0xC2B2AE3D27D4EB4FU;
    return static_cast<std::size_t>(mixed ^ (mixed >> 29));
  }
};

/// One bit for every task of a graph.
class TaskBits {
 public:
  explicit TaskBits(const std::vector<OpFacts>& facts);
  bool test(TaskId task) const { return ((words_[word(task)] >> (position(task) % 64)) & 1U) != 0; }
  void set(TaskId task) { words_[word(task)] |= std::uint64_t{1} << (position(task) % 64); }

 private:
  std::uint64_t position(TaskId task) const {
    return first_[static_cast<std::size_t>(task.op)] + static_cast<std::uint64_t>(task.index);
  }
  std::size_t word(TaskId task) const { return static_cast<std::size_t>(position(task) / 64); }

  std::vector<std::uint64_t> first_;
  std::vector<std::uint64_t> words_;
};

}  // namespace brim::schedule
