#include "ops/memory_model.h"

#include <algorithm>

#include "core/scratch.h"
#include "core/thread_team.h"
#include "ops/bands.h"
#include "ops/reading.h"

namespace brim::ops {
namespace {

/// Shared memory is granted in whole pages.
constexpr std::int64_t kPageSize = 4096;

std::int64_t rounded_to_pages(std::int64_t bytes) { return (bytes + kPageSize - 1) / kPageSize * kPageSize; }

std::int64_t region_bytes(const OpInput& input, const Box& box) {
  return element_count(input_region(input.map, box).shape()) * item_size(input.dtype);
}

/// The moment of a task that holds the most decides; its parts are the breakdown.
TaskMemory peak_of(std::int64_t inputs, std::int64_t reading, std::int64_t computing, std::int64_t writing,
                   std::int64_t accumulators, std::int64_t values) {
  TaskMemory memory;
  memory.outputs = Bytes(values);
  memory.temporaries = Bytes(accumulators);
  const auto while_computing = inputs + computing;
  const auto while_reading = inputs + reading;
  if (writing >= std::max(while_computing, while_reading)) {
    memory.codec = Bytes(writing);
  } else if (while_reading >= while_computing) {
    memory.inputs = Bytes(inputs);
    memory.codec = Bytes(reading);
  } else {
    memory.inputs = Bytes(inputs);
    memory.temporaries += Bytes(computing);
  }
  return memory;
}

}  // namespace

OutputScratch output_scratch(const OpOutput& output, std::int64_t task) {
  const auto count = element_count(output.grid.box(task).shape());
  OutputScratch scratch;
  const bool finishes = !output.reduce || output.reduce->finish_count.has_value();
  if (output.reduce && finishes)
    scratch.accumulators =
        Scratch::cost(count * item_size(accumulator_dtype(output.reduce->reduction, output.reduce->dtype)));
  if (!output.resident) scratch.values = Scratch::cost(count * item_size(output.dtype));
  return scratch;
}

OpModel::OpModel(const PhysicalOp& op, const std::vector<storage::OutputDataset>& datasets) : op_(&op) {
  for (const auto& reading : readings(op))
    if (reading.from->spill && reading.from->chunks().grid.chunk_count() > 0)
      spilled_inputs_ += Bytes(Scratch::cost(block_size(reading.from->layout, 0).count())) * reading.chunks_per_task;
  if (const auto* traversal = std::get_if<Traversal>(&op.detail)) {
    workspace_ = Scratch::cost(kernels::CompiledProgram(traversal->program).workspace().count());
    for (const auto& input : traversal->inputs) {
      const auto* resident = std::get_if<ResidentInput>(&input.from);
      copied_.push_back(resident == nullptr ||
                        !reads_single_chunks(input.map, traversal->loop, resident->chunks().grid));
      if (const auto* from = std::get_if<DatasetInput>(&input.from)) {
        read_scratch_ = std::max(read_scratch_, storage::read_scratch(from->source).count());
        library_ += storage::library_memory(from->source);
      }
    }
  }
  for (const auto& output : op.outputs) {
    if (!output.target) continue;
    const auto& dataset = datasets[static_cast<std::size_t>(*output.target)];
    write_scratch_ = std::max(write_scratch_, storage::write_scratch(dataset).count());
    library_ += storage::library_memory(dataset);
  }
}

TaskMemory OpModel::traversal(const Traversal& traversal, std::int64_t index) const {
  const Box box = traversal.loop.box(index);
  std::int64_t inputs = 0;
  for (std::size_t i = 0; i < copied_.size(); ++i)
    if (copied_[i]) inputs += Scratch::cost(region_bytes(traversal.inputs[i], box));
  const std::int64_t threads = op_->threads;
  std::int64_t computing = workspace_ * threads;
  std::int64_t accumulators = 0;
  std::int64_t values = 0;
  const auto band = band_cut(box.shape()).elements;
  for (const auto& output : op_->outputs) {
    if (output.reduce) computing += Scratch::cost(band * item_size(output.reduce->dtype)) * threads;
    const auto scratch = output_scratch(output, index);
    accumulators += scratch.accumulators;
    values += scratch.values;
  }
  return peak_of(inputs, read_scratch_ * threads, computing, write_scratch_, accumulators, values);
}

TaskMemory OpModel::combine(const Combine&, std::int64_t index) const {
  const auto scratch = output_scratch(op_->outputs.front(), index);
  return peak_of(0, 0, 0, write_scratch_, scratch.accumulators, scratch.values);
}

TaskMemory OpModel::task(std::int64_t index) const {
  TaskMemory memory;
  if (const auto* op = std::get_if<Traversal>(&op_->detail)) memory = traversal(*op, index);
  if (const auto* op = std::get_if<Combine>(&op_->detail)) memory = combine(*op, index);
  if (const auto* op = std::get_if<Synthetic>(&op_->detail)) memory.temporaries = op->memory;
  memory.temporaries += ThreadTeam::kThreadBytes * (op_->threads - 1);
  memory.inputs += spilled_inputs_;
  const auto block = block_size(op_->block(), index).count();
  if (op_->spill)
    memory.outputs += Bytes(Scratch::cost(block));
  else
    memory.resident = Bytes(rounded_to_pages(block));
  return memory;
}

TaskMemory OpModel::largest() const { return op_->task_count() == 0 ? TaskMemory{} : task(0); }

Bytes OpModel::task_read(std::int64_t index) const {
  Bytes sum;
  if (const auto* op = std::get_if<Traversal>(&op_->detail))
    for (const auto& input : op->inputs)
      if (std::holds_alternative<DatasetInput>(input.from)) sum += Bytes(region_bytes(input, op->loop.box(index)));
  return sum;
}

Bytes OpModel::task_written(std::int64_t index) const {
  Bytes sum;
  for (const auto& output : op_->outputs)
    if (output.target) sum += Bytes(element_count(output.grid.box(index).shape()) * item_size(output.dtype));
  return sum;
}

}  // namespace brim::ops
