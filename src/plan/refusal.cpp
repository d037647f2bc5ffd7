#include "plan/refusal.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "brim/error.h"
#include "plan/need.h"

namespace brim::planning {
namespace {

/// A chunk shape with which the op would fit `left`, if its memory shrinks as its chunks do.
std::optional<Shape> find_fitting_chunk(const PhysicalPlan& plan, std::size_t op, Bytes need, Bytes left) {
  const auto* traversal = std::get_if<ops::Traversal>(&plan.ops[op].detail);
  if (traversal == nullptr || left.count() <= 0 || need.count() <= 0) return std::nullopt;
  Shape chunk = traversal->loop.chunk_shape();
  const double wanted = static_cast<double>(element_count(chunk)) * static_cast<double>(left.count()) /
                        static_cast<double>(need.count()) * 0.9;
  while (static_cast<double>(element_count(chunk)) > wanted) {
    const auto longest = std::max_element(chunk.begin(), chunk.end());
    if (longest == chunk.end() || *longest <= 1) return std::nullopt;
    *longest = (*longest + 1) / 2;
  }
  return chunk;
}

}  // namespace

void refuse(const PhysicalPlan& plan) {
  const auto need = sequential_need(plan.ops, plan.models);
  const auto left = std::max(plan.budget - plan.coordinator_mem - plan.worker_mem, Bytes(0));
  auto hint =
      fmt::format("raise --memory to {} ({} bytes)", to_string(plan.minimum_budget), plan.minimum_budget.count());
  std::string what;
  if (plan.ops.empty()) {
    what = fmt::format("a run needs {}, the budget is {}", to_string(plan.minimum_budget), to_string(plan.budget));
  } else {
    if (const auto chunk = find_fitting_chunk(plan, need.op, plan.sequential_peak, left))
      hint += fmt::format(" or use chunks of at most {}", to_string(*chunk));
    what = fmt::format("op {} needs {} a task, the budget of {} leaves {}", plan.ops[need.op].name,
                       to_string(plan.sequential_peak), to_string(plan.budget), to_string(left));
  }
  what += fmt::format(" beside the coordinator ({}) and one worker ({})", to_string(plan.coordinator_mem),
                      to_string(plan.worker_mem));
  throw MemoryError(what, hint);
}

}  // namespace brim::planning
