#include <algorithm>
#include <cmath>

#include "core/check.h"
#include "kernels/copy.h"
#include "kernels/reduce.h"
#include "ops/bands.h"
#include "ops/op_body.h"
#include "ops/range.h"

// The work horse: reads regions of inputs, runs a program over them, and keeps, stores or reduces what comes out.
// Memory model: memory_model.cpp, piece by piece in the order of run() here.
namespace brim::ops {
namespace {

class TraversalBody final : public OpBody {
 public:
  TraversalBody(PhysicalOp op, const std::vector<storage::OutputTarget>& targets)
      : op_(std::move(op)),
        traversal_(std::get<Traversal>(op_.detail)),
        program_(traversal_.program),
        stores_(op_, targets),
        reduces_(std::any_of(op_.outputs.begin(), op_.outputs.end(), [](const OpOutput& o) { return o.reduce; })) {
    for (const auto& input : traversal_.inputs) {
      const auto* from = std::get_if<DatasetInput>(&input.from);
      readers_.push_back(from != nullptr ? std::optional<storage::Reader>(std::in_place, from->source) : std::nullopt);
    }
  }

  void run(TaskContext& context) override {
    const Box box = traversal_.loop.box(context.task_index);
    const OutputChunks chunks(op_, context);
    {
      const Scratch::Frame frame(context.scratch);
      const auto views = read_inputs(box, context);
      const auto workspace = context.scratch.take(program_.workspace().count());
      if (reduces_)
        reduce(box, views, chunks, workspace, context.scratch);
      else
        compute(box, views, chunks, workspace);
    }
    finish_reductions(op_, chunks);
    stores_.write(op_, chunks, context);
  }

 private:
  std::vector<kernels::ConstView> read_inputs(const Box& box, TaskContext& context) {
    const ResidentChunks resident(op_, context);
    std::vector<kernels::ConstView> views;
    views.reserve(traversal_.inputs.size());
    for (std::size_t i = 0; i < traversal_.inputs.size(); ++i) {
      const auto& input = traversal_.inputs[i];
      const Box region = input_region(input.map, box);
      if (const auto* from = std::get_if<ResidentInput>(&input.from))
        if (reads_single_chunks(input.map, traversal_.loop, from->chunks().grid)) {
          views.push_back(view_in_place(input, *from, box, region, resident));
          continue;
        }
      const auto buffer = context.scratch.take(element_count(region.shape()) * item_size(input.dtype));
      if (readers_[i]) context.bytes_read += readers_[i]->read(region, buffer, context.scratch);
      if (const auto* from = std::get_if<ResidentInput>(&input.from)) gather(*from, region, resident, buffer.data());
      if (const auto* from = std::get_if<RangeInput>(&input.from))
        fill_range(*from, input.dtype, region.start[0], region.stop[0], buffer.data());
      views.push_back(input_view(input.map, box, region, item_size(input.dtype), buffer.data()));
    }
    return views;
  }

  /// A region inside one resident chunk needs no copy.
  static kernels::ConstView view_in_place(const OpInput& input, const ResidentInput& from, const Box& box,
                                          const Box& region, const ResidentChunks& resident) {
    const auto& grid = from.chunks().grid;
    if (region.empty()) return {};
    const auto number = grid.index(grid.chunks_touching(region).start);
    return input_view(input.map, box, grid.box(number), item_size(input.dtype), resident.chunk(from, number));
  }

  static void gather(const ResidentInput& from, const Box& region, const ResidentChunks& resident, std::byte* buffer) {
    const auto& grid = from.chunks().grid;
    const auto size = item_size(from.chunks().dtype);
    const auto map = identity_map(grid.rank());
    for_each_chunk(grid, grid.chunks_touching(region), [&](std::int64_t number) {
      const Box chunk = grid.box(number);
      const Box part = intersect(chunk, region);
      const auto source = input_view(map, part, chunk, size, resident.chunk(from, number));
      const auto target = input_view(map, part, region, size, buffer);
      kernels::copy(size, part.shape(), source, {buffer + (target.data - buffer), target.strides});
    });
  }

  kernels::View output_view(std::size_t i, const Box& box, const Box& part, const OutputChunks& chunks) const {
    const auto size = item_size(op_.outputs[i].dtype);
    auto* data = chunks.values(i).data();
    const auto view = input_view(identity_map(box.rank()), part, box, size, data);
    return {data + (view.data - data), view.strides};
  }

  void compute(const Box& box, std::span<const kernels::ConstView> views, const OutputChunks& chunks,
               std::span<std::byte> workspace) const {
    std::vector<kernels::View> results;
    for (std::size_t i = 0; i < op_.outputs.size(); ++i) results.push_back(output_view(i, box, box, chunks));
    program_.run(box.shape(), views, results, workspace);
  }

  /// Band by band, so that values on their way into an accumulator never leave the cache.
  void reduce(const Box& box, std::span<const kernels::ConstView> views, const OutputChunks& chunks,
              std::span<std::byte> workspace, Scratch& scratch) const {
    const auto elements = band_cut(box.shape()).elements;
    std::vector<std::byte*> bands;
    for (const auto& output : op_.outputs)
      bands.push_back(output.reduce ? scratch.take(elements * item_size(output.reduce->dtype)).data() : nullptr);
    for_each_band(box, [&](const Box& band) {
      const auto shape = band.shape();
      std::vector<kernels::ConstView> inputs(views.begin(), views.end());
      for (auto& view : inputs)
        for (std::size_t axis = 0; axis < shape.size(); ++axis)
          view.data += (band.start[axis] - box.start[axis]) * view.strides[axis];
      std::vector<kernels::View> results;
      for (std::size_t i = 0; i < op_.outputs.size(); ++i) {
        const auto& step = op_.outputs[i].reduce;
        results.push_back(step ? kernels::View{bands[i], kernels::contiguous_strides(shape, item_size(step->dtype))}
                               : output_view(i, box, band, chunks));
      }
      program_.run(shape, inputs, results, workspace);
      for (std::size_t i = 0; i < op_.outputs.size(); ++i)
        if (op_.outputs[i].reduce) fold(i, box, band, results[i], chunks);
    });
  }

  /// Folds a band of output number `i` into its accumulators, which have extent 1 on reduced axes.
  void fold(std::size_t i, const Box& box, const Box& band, const kernels::View& values,
            const OutputChunks& chunks) const {
    const auto& step = *op_.outputs[i].reduce;
    Shape kept = box.shape();
    for (std::size_t axis = 0; axis < kept.size(); ++axis)
      if (step.reduced[axis]) kept[axis] = 1;
    const auto size = item_size(accumulator_dtype(step.reduction, step.dtype));
    kernels::View accumulators{chunks.accumulators(i).data(), kernels::contiguous_strides(kept, size)};
    for (std::size_t axis = 0; axis < kept.size(); ++axis) {
      if (step.reduced[axis]) accumulators.strides[axis] = 0;
      accumulators.data += (band.start[axis] - box.start[axis]) * accumulators.strides[axis];
    }
    kernels::reduce_into(step.reduction, step.dtype, band.shape(), step.reduced, {values.data, values.strides},
                         accumulators);
  }

  PhysicalOp op_;
  const Traversal& traversal_;
  kernels::CompiledProgram program_;
  std::vector<std::optional<storage::Reader>> readers_;
  Stores stores_;
  bool reduces_;
};

}  // namespace

std::unique_ptr<OpBody> make_traversal(PhysicalOp op, const std::vector<storage::OutputTarget>& targets) {
  return std::make_unique<TraversalBody>(std::move(op), targets);
}

}  // namespace brim::ops
