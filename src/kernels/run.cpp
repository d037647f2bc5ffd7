#include <algorithm>
#include <cstring>

#include "core/check.h"
#include "kernels/loop_nest.h"
#include "kernels/prepared.h"
#include "kernels/strided_run.h"

namespace brim::kernels {
namespace {

/// Rows shorter than this are gathered into tiles that reach over several rows.
constexpr std::int64_t kShortRow = 256;

constexpr std::int64_t kCacheLine = 64;

/// One run of a program: a tile at a time, operands found or gathered, steps called, outputs scattered.
class TileLoop {
 public:
  TileLoop(const CompiledProgram::Prepared& prepared, const LoopNest& nest, std::span<const ConstView> inputs,
           std::span<const View> outputs, std::span<std::byte> workspace)
      : prepared_(prepared), nest_(nest), inputs_(inputs), outputs_(outputs) {
    const auto address = reinterpret_cast<std::uintptr_t>(workspace.data());
    std::byte* base = workspace.data() + (64 - address % 64) % 64;
    slots_ = reinterpret_cast<std::byte**>(base);
    tiles_ = base;
    for (std::size_t value = 0; value < prepared.tiles.size(); ++value) slots_[value] = base + prepared.tiles[value];
    filled_.assign(inputs.size(), nullptr);
    fill_constants();
  }

  void run() {
    const bool by_rows = nest_.rank() <= 1 || nest_.inner_extent() >= kShortRow;
    for (std::size_t i = 0; i < inputs_.size(); ++i)
      direct_inputs_.push_back(by_rows ? nest_.inner_stride(input_operand(i)) == prepared_.input_sizes[i]
                                       : nest_.is_contiguous(input_operand(i), prepared_.input_sizes[i]));
    for (std::size_t i = 0; i < outputs_.size(); ++i)
      direct_outputs_.push_back(by_rows ? nest_.inner_stride(i) == prepared_.outputs[i].item_size
                                        : nest_.is_contiguous(i, prepared_.outputs[i].item_size));
    std::int64_t done = 0;
    for (LoopIndex index(nest_, 0); done < nest_.size();) {
      const std::int64_t left = by_rows ? index.left_in_run() : nest_.size() - done;
      const std::int64_t count = std::min(left, prepared_.tile_elements);
      for (std::size_t i = 0; i < inputs_.size(); ++i) bind_input(i, index, count);
      for (std::size_t i = 0; i < outputs_.size(); ++i) bind_output(i, index);
      call_steps(count, std::min(left - count, prepared_.tile_elements));
      for (std::size_t i = 0; i < outputs_.size(); ++i) write_output(i, index, count);
      done += count;
      for (std::int64_t moved = 0; moved < count;) {
        const std::int64_t step = std::min(index.left_in_run(), count - moved);
        index.advance(step);
        moved += step;
      }
    }
  }

 private:
  /// Outputs come first among the operands of the loops: their strides decide the order of the axes.
  std::size_t input_operand(std::size_t input) const { return outputs_.size() + input; }

  void fill_constants() {
    for (const ConstantTile& constant : prepared_.constants) {
      alignas(8) std::byte element[8]{};
      write_scalar(constant.scalar, element);
      const std::int64_t size = item_size(constant.scalar.dtype);
      const std::int64_t count = constant.filled ? std::min(prepared_.tile_elements, nest_.size()) : 1;
      copy_run_of(size)(count, element, 0, slots_[constant.value], size);
    }
  }

  void bind_input(std::size_t input, const LoopIndex& index, std::int64_t count) {
    const std::size_t operand = input_operand(input);
    const std::byte* from = inputs_[input].data + index.offset(operand);
    if (direct_inputs_[input]) {
      slots_[input] = const_cast<std::byte*>(from);  // steps only read it
      return;
    }
    slots_[input] = tiles_ + prepared_.tiles[input];
    if (nest_.is_constant(operand)) return fill_once(input, from);
    gather(operand, prepared_.input_sizes[input], inputs_[input].data, index, count, slots_[input]);
  }

  /// A broadcast scalar fills its tile at its first use.
  void fill_once(std::size_t input, const std::byte* from) {
    if (filled_[input] == from) return;
    filled_[input] = from;
    const std::int64_t size = prepared_.input_sizes[input];
    copy_run_of(size)(std::min(prepared_.tile_elements, nest_.size()), from, 0, slots_[input], size);
  }

  void gather(std::size_t operand, std::int64_t size, const std::byte* data, LoopIndex index, std::int64_t count,
              std::byte* tile) const {
    const CopyRun copy = copy_run_of(size);
    const std::int64_t stride = nest_.inner_stride(operand);
    while (count > 0) {
      const std::int64_t run = std::min(index.left_in_run(), count);
      copy(run, data + index.offset(operand), stride, tile, size);
      tile += run * size;
      count -= run;
      index.advance(run);
    }
  }

  void bind_output(std::size_t output, const LoopIndex& index) {
    const OutputPlan& plan = prepared_.outputs[output];
    if (plan.is_home && direct_outputs_[output]) slots_[plan.value] = outputs_[output].data + index.offset(output);
  }

  void write_output(std::size_t output, LoopIndex index, std::int64_t count) const {
    const OutputPlan& plan = prepared_.outputs[output];
    if (plan.is_home && direct_outputs_[output]) return;
    const CopyRun copy = copy_run_of(plan.item_size);
    const std::int64_t stride = nest_.inner_stride(output);
    for (const std::byte* tile = slots_[plan.value]; count > 0;) {
      const std::int64_t run = std::min(index.left_in_run(), count);
      copy(run, tile, plan.item_size, outputs_[output].data + index.offset(output), stride);
      tile += run * plan.item_size;
      count -= run;
      index.advance(run);
    }
  }

  /// Between the steps it fetches the `next_count` elements after these, so that waiting for memory and computing
  /// overlap; the CPU's own prefetching ends at each page.
  void call_steps(std::int64_t count, std::int64_t next_count) const {
    std::int64_t fetched = count;
    for (const Step& step : prepared_.steps) {
      const std::int64_t until = count + static_cast<std::int64_t>(static_cast<float>(next_count) * step.time_share);
      fetch(fetched, until);
      fetched = until;
      const std::byte* operands[3] = {slots_[step.operands[0]], slots_[step.operands[1]], slots_[step.operands[2]]};
      step.kernel(operands, slots_[step.result], count);
    }
  }

  /// Elements first .. last - 1, counted from the start of this tile, of what is read and written in place. Inlined
  /// by force: GCC takes a function that only prefetches for one without effect and drops the call.
  [[gnu::always_inline]] void fetch(std::int64_t first, std::int64_t last) const {
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      if (!direct_inputs_[i]) continue;
      const std::int64_t size = prepared_.input_sizes[i];
      for (std::int64_t byte = first * size; byte < last * size; byte += kCacheLine)
        __builtin_prefetch(slots_[i] + byte, 0, 2);
    }
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      const OutputPlan& plan = prepared_.outputs[i];
      if (!plan.is_home || !direct_outputs_[i]) continue;
      for (std::int64_t byte = first * plan.item_size; byte < last * plan.item_size; byte += kCacheLine)
        __builtin_prefetch(slots_[plan.value] + byte, 1, 2);
    }
  }

  const CompiledProgram::Prepared& prepared_;
  const LoopNest& nest_;
  std::span<const ConstView> inputs_;
  std::span<const View> outputs_;
  std::byte** slots_ = nullptr;  ///< where each value of the tile at hand is
  std::byte* tiles_ = nullptr;
  std::vector<const std::byte*> filled_;
  std::vector<bool> direct_inputs_;
  std::vector<bool> direct_outputs_;
};

}  // namespace

void CompiledProgram::run(const Shape& shape, std::span<const ConstView> inputs, std::span<const View> outputs,
                          std::span<std::byte> workspace) const {
  check(inputs.size() == prepared_->input_sizes.size(), "a program is run with another number of inputs");
  check(outputs.size() == prepared_->outputs.size(), "a program is run with another number of outputs");
  check(static_cast<std::int64_t>(workspace.size()) >= prepared_->workspace, "the workspace is too small");
  check(shape.size() <= static_cast<std::size_t>(kMaxRank), "too many axes");
  std::vector<Strides> strides;
  for (const View& output : outputs) strides.push_back(output.strides);
  for (const ConstView& input : inputs) strides.push_back(input.strides);
  const LoopNest nest(shape, std::move(strides));
  if (nest.size() == 0) return;
  TileLoop(*prepared_, nest, inputs, outputs, workspace).run();
}

}  // namespace brim::kernels
