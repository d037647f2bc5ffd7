#include "core/check.h"
#include "kernels/reduce.h"
#include "ops/op_body.h"

// One step of a reduction tree. Folds partial chunks straight from shared memory, one after the other in chunk order:
// no copy, and the same sum whoever runs it. Memory model: memory_model.cpp.
namespace brim::ops {
namespace {

class CombineBody final : public OpBody {
 public:
  CombineBody(PhysicalOp op, const std::vector<storage::OutputTarget>& targets)
      : op_(std::move(op)), combine_(std::get<Combine>(op_.detail)), stores_(op_, targets) {
    check(op_.outputs.size() == 1 && op_.outputs.front().reduce.has_value(), "a combine op has one reduced output");
  }

  void run(TaskContext& context) override {
    const OutputChunks chunks(op_, context);
    fold_all(ResidentChunks(op_, context), chunks, context.task_index);
    finish_reductions(op_, chunks);
    stores_.write(op_, chunks, context);
  }

 private:
  void fold_all(const ResidentChunks& resident, const OutputChunks& chunks, std::int64_t task) const {
    const auto& from = std::get<ResidentInput>(combine_.partials.from);
    const auto& step = *op_.outputs.front().reduce;
    const auto& grid = from.chunks().grid;
    const auto size = item_size(from.chunks().dtype);
    const Box region = combine_region(combine_, task);
    for_each_chunk(grid, grid.chunks_touching(region), [&](std::int64_t number) {
      const auto shape = grid.box(number).shape();
      const auto strides = kernels::contiguous_strides(shape, size);
      kernels::View accumulators{chunks.accumulators(0).data(), strides};
      for (std::size_t axis = 0; axis < shape.size(); ++axis)
        if (step.reduced[axis]) accumulators.strides[axis] = 0;
      kernels::combine_into(step.reduction, step.dtype, shape, step.reduced, {resident.chunk(from, number), strides},
                            accumulators);
    });
  }

  PhysicalOp op_;
  const Combine& combine_;
  Stores stores_;
};

}  // namespace

std::unique_ptr<OpBody> make_combine(PhysicalOp op, const std::vector<storage::OutputTarget>& targets) {
  return std::make_unique<CombineBody>(std::move(op), targets);
}

}  // namespace brim::ops
