#include "plan/verify.h"

#include "core/check.h"

namespace brim::planning {
namespace {

void verify_input(const PhysicalPlan& plan, std::size_t number, const ops::OpInput& input) {
  const auto* from = std::get_if<ops::ResidentInput>(&input.from);
  if (from == nullptr) return;
  check(from->op >= 0 && static_cast<std::size_t>(from->op) < number, "an op reads from a later op");
  const auto layout = plan.ops[static_cast<std::size_t>(from->op)].block();
  check(layout.size() == from->layout.size() && static_cast<std::size_t>(from->part) < layout.size(),
        "an op reads a block of another layout than its producer's");
  const auto& part = layout[static_cast<std::size_t>(from->part)];
  check(part.grid == from->chunks().grid && part.dtype == from->chunks().dtype && part.dtype == input.dtype,
        "an op reads chunks of another grid or dtype than its producer's");
}

void verify_output(const PhysicalPlan& plan, const ops::PhysicalOp& op, const ops::OpOutput& output) {
  check(output.grid.chunk_count() == op.task_count(), "an op makes another number of chunks than it has tasks");
  check(output.resident || output.target, "an op makes chunks that go nowhere");
  if (!output.target) return;
  const auto& dataset = plan.datasets.at(static_cast<std::size_t>(*output.target));
  check(dataset.grid.shape() == output.grid.shape() && dataset.dtype == output.dtype,
        "an op stores another shape or dtype than its data set's");
}

}  // namespace

void verify(const PhysicalPlan& plan) {
  check(plan.models.size() == plan.ops.size(), "an op without a memory model");
  for (std::size_t i = 0; i < plan.ops.size(); ++i) {
    const auto& op = plan.ops[i];
    if (const auto* traversal = std::get_if<ops::Traversal>(&op.detail)) {
      check(traversal->program.outputs.size() == op.outputs.size(), "a program with other outputs than its op");
      check(traversal->program.inputs.size() == traversal->inputs.size(), "a program with other inputs than its op");
      for (const auto& input : traversal->inputs) verify_input(plan, i, input);
    }
    if (const auto* combine = std::get_if<ops::Combine>(&op.detail)) verify_input(plan, i, combine->partials);
    for (const auto& output : op.outputs) verify_output(plan, op, output);
  }
}

}  // namespace brim::planning
