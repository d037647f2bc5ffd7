#include <algorithm>
#include <cmath>

#include "core/check.h"
#include "kernels/copy.h"
#include "kernels/reduce.h"
#include "ops/bands.h"
#include "ops/op_body.h"
#include "ops/range.h"
#include "ops/region_reader.h"
#include "ops/slabs.h"

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
      readers_.push_back(from != nullptr ? std::optional<RegionReader>(std::in_place, from->source) : std::nullopt);
    }
  }

  void run(TaskContext& context) override {
    const Box box = traversal_.loop.box(context.task_index);
    const OutputChunks chunks(op_, context);
    {
      const Scratch::Frame frame(context.scratch);
      const Pass pass{box, read_inputs(box, context), chunks, context};
      if (reduces_)
        reduce(pass);
      else
        compute(pass);
    }
    finish_reductions(op_, chunks);
    stores_.write(op_, chunks, context);
  }

 private:
  /// One task, when its inputs are there.
  struct Pass {
    const Box& box;
    std::vector<kernels::ConstView> inputs;  ///< of the whole box
    const OutputChunks& chunks;
    TaskContext& context;
  };
  /// What one thread needs to evaluate the program over a part of the box.
  struct Lane {
    std::span<std::byte> workspace;
    std::vector<std::byte*> bands;  ///< values on their way into accumulators, by output; null where there are none
  };

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
      if (readers_[i]) context.bytes_read += readers_[i]->read(region, buffer, context);
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

  Lane take_lane(Scratch& scratch, std::int64_t band_elements) const {
    Lane lane{scratch.take(program_.workspace().count()), {}};
    for (const auto& output : op_.outputs)
      lane.bands.push_back(output.reduce ? scratch.take(band_elements * item_size(output.reduce->dtype)).data()
                                         : nullptr);
    return lane;
  }

  /// The program over a part of the box. Returns where each output's values are.
  std::vector<kernels::View> evaluate(const Pass& pass, const Box& part, const Lane& lane) const {
    const auto shape = part.shape();
    auto inputs = pass.inputs;
    for (auto& view : inputs)
      for (std::size_t axis = 0; axis < shape.size(); ++axis)
        view.data += (part.start[axis] - pass.box.start[axis]) * view.strides[axis];
    std::vector<kernels::View> results;
    for (std::size_t i = 0; i < op_.outputs.size(); ++i) {
      const auto& step = op_.outputs[i].reduce;
      results.push_back(step ? kernels::View{lane.bands[i], kernels::contiguous_strides(shape, item_size(step->dtype))}
                             : output_view(i, pass.box, part, pass.chunks));
    }
    program_.run(shape, inputs, results, lane.workspace);
    return results;
  }

  void compute(const Pass& pass) const {
    const auto shape = pass.box.shape();
    const auto threads = worth_threads(shape, pass.context.threads);
    const auto parts = threads > 1 ? slabs(pass.box, axis_to_share(shape, threads), threads) : std::vector{pass.box};
    std::vector<Lane> lanes;
    for (std::size_t i = 0; i < parts.size(); ++i) lanes.push_back(take_lane(pass.context.scratch, 0));
    pass.context.team.run(static_cast<int>(parts.size()), [&](int part) {
      evaluate(pass, parts[static_cast<std::size_t>(part)], lanes[static_cast<std::size_t>(part)]);
    });
  }

  void evaluate_and_fold(const Pass& pass, const Box& band, const Lane& lane) const {
    const auto results = evaluate(pass, band, lane);
    for (std::size_t i = 0; i < op_.outputs.size(); ++i)
      if (op_.outputs[i].reduce) fold(i, pass.box, band, results[i], pass.chunks);
  }

  /// Band by band, so that values on their way into an accumulator never leave the cache. However many threads share
  /// the bands, each accumulator takes the same bands in the same order: the result does not depend on their number.
  void reduce(const Pass& pass) const {
    const auto shape = pass.box.shape();
    const auto cut = band_cut(shape);
    const auto threads = worth_threads(shape, pass.context.threads);
    std::vector<Lane> lanes;
    for (int i = 0; i < threads; ++i) lanes.push_back(take_lane(pass.context.scratch, cut.elements));
    if (threads == 1)
      for_each_band(pass.box, cut, [&](const Box& band) { evaluate_and_fold(pass, band, lanes.front()); });
    else if (const auto axis = find_kept_axis(shape, cut))
      reduce_apart(pass, cut, *axis, lanes);
    else
      reduce_together(pass, cut, lanes);
  }

  /// An axis along which different bands go to different accumulators of every output.
  std::optional<std::size_t> find_kept_axis(const Shape& shape, const BandCut& cut) const {
    std::optional<std::size_t> best;
    std::int64_t most = 1;
    for (std::size_t axis = 0; axis <= cut.axis; ++axis) {
      const bool kept = std::none_of(op_.outputs.begin(), op_.outputs.end(), [&](const OpOutput& output) {
        return output.reduce && output.reduce->reduced[axis];
      });
      const auto bands = axis == cut.axis ? (shape[axis] + cut.extent - 1) / cut.extent : shape[axis];
      if (!kept || bands <= most) continue;
      best = axis;
      most = bands;
    }
    return best;
  }

  void reduce_apart(const Pass& pass, const BandCut& cut, std::size_t axis, const std::vector<Lane>& lanes) const {
    const auto parts = slabs(pass.box, axis, static_cast<int>(lanes.size()), axis == cut.axis ? cut.extent : 1);
    pass.context.team.run(static_cast<int>(parts.size()), [&](int part) {
      const auto number = static_cast<std::size_t>(part);
      for_each_band(parts[number], cut, [&](const Box& band) { evaluate_and_fold(pass, band, lanes[number]); });
    });
  }

  /// All bands go to the same accumulators: as many as there are threads are evaluated at once and then folded in turn.
  void reduce_together(const Pass& pass, const BandCut& cut, const std::vector<Lane>& lanes) const {
    std::vector<Box> bands;
    const auto flush = [&] {
      std::vector<std::vector<kernels::View>> results(bands.size());
      pass.context.team.run(static_cast<int>(bands.size()), [&](int part) {
        const auto number = static_cast<std::size_t>(part);
        results[number] = evaluate(pass, bands[number], lanes[number]);
      });
      for (std::size_t number = 0; number < bands.size(); ++number)
        for (std::size_t i = 0; i < op_.outputs.size(); ++i)
          if (op_.outputs[i].reduce) fold(i, pass.box, bands[number], results[number][i], pass.chunks);
      bands.clear();
    };
    for_each_band(pass.box, cut, [&](const Box& band) {
      bands.push_back(band);
      if (bands.size() == lanes.size()) flush();
    });
    flush();
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
  std::vector<std::optional<RegionReader>> readers_;
  Stores stores_;
  bool reduces_;
};

}  // namespace

std::unique_ptr<OpBody> make_traversal(PhysicalOp op, const std::vector<storage::OutputTarget>& targets) {
  return std::make_unique<TraversalBody>(std::move(op), targets);
}

}  // namespace brim::ops
