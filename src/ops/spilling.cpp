#include <map>

#include "ops/op_body.h"
#include "ops/reading.h"
#include "storage/scratch_blocks.h"

// Blocks that memory has no room for pass through the run's scratch file. Bodies do not know: they find such blocks in
// private memory instead of shared memory. Memory model: spilled blocks in memory_model.cpp.
namespace brim::ops {
namespace {

class SpillingBody final : public OpBody {
 public:
  SpillingBody(PhysicalOp op, std::unique_ptr<OpBody> body)
      : op_(std::move(op)), body_(std::move(body)), blocks_(op_.scratch_file) {
    for (const auto& reading : readings(op_))
      if (reading.from->spill) spilled_[reading.from->op] = reading.from;
  }

  void run(TaskContext& context) override {
    const Scratch::Frame frame(context.scratch);
    const auto inputs = bring_in(context);
    const auto lent = context.inputs;
    context.inputs = inputs;
    if (op_.spill) context.output = context.scratch.take(block_size(op_.block(), context.task_index).count());
    body_->run(context);
    context.inputs = lent;
    if (!op_.spill) return;
    blocks_.write(place(*op_.spill, context.task_index), context.output);
    context.bytes_written += Bytes(std::ssize(context.output));
  }

 private:
  static std::int64_t place(const Spill& spill, std::int64_t task) { return spill.start + task * spill.distance; }

  std::vector<std::span<const std::byte>> bring_in(TaskContext& context) const {
    std::vector<std::span<const std::byte>> inputs(context.inputs.begin(), context.inputs.end());
    if (inputs.empty() || spilled_.empty()) return inputs;
    const auto needed = dependencies(op_, context.task_index);
    for (std::size_t i = 0; i < needed.size(); ++i) {
      const auto found = spilled_.find(needed[i].op);
      if (found == spilled_.end()) continue;
      const auto block = context.scratch.take(block_size(found->second->layout, needed[i].task).count());
      blocks_.read(place(*found->second->spill, needed[i].task), block);
      context.bytes_read += Bytes(std::ssize(block));
      inputs[i] = block;
    }
    return inputs;
  }

  PhysicalOp op_;
  std::unique_ptr<OpBody> body_;
  storage::ScratchBlocks blocks_;
  std::map<std::int32_t, const ResidentInput*> spilled_;  ///< by the op that made them; point into op_
};

}  // namespace

std::unique_ptr<OpBody> make_spilling(PhysicalOp op, std::unique_ptr<OpBody> body) {
  return std::make_unique<SpillingBody>(std::move(op), std::move(body));
}

}  // namespace brim::ops
