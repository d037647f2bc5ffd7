#include "ops/op_body.h"

#include <algorithm>

#include "core/check.h"
#include "kernels/reduce.h"

namespace brim::ops {
namespace {

std::unique_ptr<OpBody> make_body(PhysicalOp op, const std::vector<storage::OutputTarget>& targets) {
  if (std::holds_alternative<Traversal>(op.detail)) return make_traversal(std::move(op), targets);
  if (std::holds_alternative<Combine>(op.detail)) return make_combine(std::move(op), targets);
  return make_synthetic(std::move(op));
}

}  // namespace

ResidentChunks::ResidentChunks(const PhysicalOp& op, const TaskContext& context) : blocks_(context.inputs) {
  if (!blocks_.empty()) dependencies_ = dependencies(op, context.task_index);
  check(dependencies_.size() == blocks_.size(), "a task was given other blocks than it depends on");
}

const std::byte* ResidentChunks::chunk(const ResidentInput& input, std::int64_t chunk) const {
  const Dependency wanted{input.op, chunk};
  const auto found = std::lower_bound(dependencies_.begin(), dependencies_.end(), wanted);
  check(found != dependencies_.end() && *found == wanted, "a task reads a chunk that it does not depend on");
  const auto block = blocks_[static_cast<std::size_t>(found - dependencies_.begin())];
  const auto offset = part_offset(input.layout, static_cast<std::size_t>(input.part), chunk);
  check(offset <= static_cast<std::int64_t>(block.size()), "a chunk lies outside its block");
  return block.data() + offset;
}

OutputChunks::OutputChunks(const PhysicalOp& op, TaskContext& context) {
  std::int64_t offset = 0;
  for (const auto& output : op.outputs) {
    const auto count = element_count(output.grid.box(context.task_index).shape());
    const auto bytes = count * item_size(output.dtype);
    std::span<std::byte> values;
    if (output.resident) {
      check(offset + bytes <= static_cast<std::int64_t>(context.output.size()), "a task's block is too small");
      values = context.output.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(bytes));
      offset += Scratch::cost(bytes);
    } else {
      values = context.scratch.take(bytes);
    }
    std::span<std::byte> accumulators = values;
    if (output.reduce && output.reduce->finish_count)
      accumulators =
          context.scratch.take(count * item_size(accumulator_dtype(output.reduce->reduction, output.reduce->dtype)));
    if (output.reduce)
      kernels::fill_identity(output.reduce->reduction, output.reduce->dtype, count, accumulators.data());
    values_.push_back(values);
    accumulators_.push_back(accumulators);
  }
}

Stores::Stores(const PhysicalOp& op, const std::vector<storage::OutputTarget>& targets) {
  for (std::size_t i = 0; i < op.outputs.size(); ++i) {
    const auto& target = op.outputs[i].target;
    if (!target) continue;
    check(static_cast<std::size_t>(*target) < targets.size(), "an op stores to an output that the run does not have");
    writers_.emplace(i, storage::Writer(targets[static_cast<std::size_t>(*target)]));
  }
}

void Stores::write(const PhysicalOp& op, const OutputChunks& chunks, TaskContext& context) {
  for (auto& [output, writer] : writers_) {
    const Box box = op.outputs[output].grid.box(context.task_index);
    context.bytes_written += writer.write(box, chunks.values(output), context.scratch);
  }
}

void finish_reductions(const PhysicalOp& op, const OutputChunks& chunks) {
  for (std::size_t i = 0; i < op.outputs.size(); ++i) {
    const auto& step = op.outputs[i].reduce;
    if (!step || !step->finish_count) continue;
    const auto count = static_cast<std::int64_t>(chunks.values(i).size()) / item_size(op.outputs[i].dtype);
    kernels::finish(step->reduction, step->dtype, count, *step->finish_count, chunks.accumulators(i).data(),
                    chunks.values(i).data());
  }
}

std::unique_ptr<OpBody> load_op(ArchiveReader& archive, const std::vector<storage::OutputTarget>& targets) {
  auto op = PhysicalOp::get(archive);
  if (op.scratch_file.empty()) return make_body(std::move(op), targets);
  auto body = make_body(op, targets);
  return make_spilling(std::move(op), std::move(body));
}

}  // namespace brim::ops
