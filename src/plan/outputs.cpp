#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "brim/error.h"
#include "plan/lower.h"

namespace brim::planning {
namespace {

/// The data set that an array is an elementwise image of: same shape, found through elementwise functions, leftmost
/// first.
const SourceNode* find_origin(const Node& node, std::set<const Node*>& seen) {
  if (const auto* source = std::get_if<SourceNode>(&node.detail)) return source;
  if (!std::holds_alternative<ElementwiseNode>(node.detail)) return nullptr;
  for (const auto& input : node.inputs) {
    if (input->shape() != node.shape() || !seen.insert(input.get()).second) continue;
    if (const auto* origin = find_origin(*input, seen)) return origin;
  }
  return nullptr;
}

/// The loop for a store: whole storage chunks, near the chunks that the array is computed in.
ChunkGrid aligned_loop(const ChunkGrid& grid, const Shape& storage_chunk) {
  Shape chunk = grid.chunk_shape();
  for (std::size_t axis = 0; axis < chunk.size(); ++axis) {
    const auto step = storage_chunk[axis];
    chunk[axis] = std::max(step, chunk[axis] / step * step);
  }
  return {grid.shape(), chunk};
}

/// The source's storage chunks where they cut the array's chunks evenly, else the array's chunks.
Shape default_storage_chunk(const Node& node, const SourceNode* origin) {
  const auto& chunk = node.grid.chunk_shape();
  if (origin == nullptr || !origin->source.info.chunk_shape) return chunk;
  Shape stored = *origin->source.info.chunk_shape;
  for (std::size_t axis = 0; axis < chunk.size(); ++axis) {
    stored[axis] = std::min(stored[axis], std::max<std::int64_t>(1, node.shape()[axis]));
    if (chunk[axis] % stored[axis] != 0) return chunk;
  }
  return stored;
}

using Place = std::pair<std::string, std::string>;

/// A data set under whatever name its file is given: links and dots resolved as far as it exists.
Place place_of(const DatasetAddress& address) {
  std::error_code error;
  const auto file = std::filesystem::weakly_canonical(address.file, error);
  return {error ? address.file : file.string(), address.path};
}

/// The data sets that the outputs are computed from.
std::set<Place> input_places(const std::vector<Output>& outputs) {
  std::set<Place> places;
  std::set<const Node*> seen;
  std::vector<const Node*> waiting;
  for (const auto& output : outputs) waiting.push_back(output.array.node().get());
  while (!waiting.empty()) {
    const auto* node = waiting.back();
    waiting.pop_back();
    if (!seen.insert(node).second) continue;
    if (const auto* source = std::get_if<SourceNode>(&node->detail))
      places.insert(place_of(source->source.info.address));
    for (const auto& input : node->inputs) waiting.push_back(input.get());
  }
  return places;
}

void check_output(const Output& output) {
  const auto& node = *output.array.node();
  if (std::holds_alternative<SyntheticNode>(node.detail) && output.address)
    throw UsageError(fmt::format("synthetic work has no values to store in {}", to_string(*output.address)),
                     "run it without an output");
  if (output.options.deflate < 0 || output.options.deflate > 9)
    throw UsageError(fmt::format("deflate level {} for {}", output.options.deflate,
                                 output.address ? to_string(*output.address) : "an output"),
                     "use 1 (fast) to 9 (small), or 0 for none");
  if (!output.address && !std::holds_alternative<SyntheticNode>(node.detail))
    throw UsageError("an array is computed and dropped", "store it: brim::store(array, \"file.h5:/name\")");
}

}  // namespace

Demands read_outputs(const std::vector<Output>& outputs) {
  Demands demands;
  const auto inputs = input_places(outputs);
  for (const auto& output : outputs) {
    check_output(output);
    if (output.address && inputs.contains(place_of(*output.address)))
      throw UsageError(fmt::format("the output {} would overwrite an input", to_string(*output.address)),
                       "choose another data set or file");
    if (!output.address) {
      demands.synthetic.push_back(output.array.node());
      continue;
    }
    const auto dtype = output.options.dtype.value_or(output.array.dtype());
    const Array array = dtype == output.array.dtype() ? output.array : astype(output.array, dtype);
    const auto& node = array.node();
    std::set<const Node*> seen;
    const auto* origin = find_origin(*node, seen);
    storage::OutputDataset dataset;
    dataset.address = *output.address;
    dataset.dtype = dtype;
    dataset.deflate_level = output.options.deflate;
    const auto chunk = output.options.chunks ? ChunkGrid(node->shape(), *output.options.chunks).chunk_shape()
                                             : default_storage_chunk(*node, origin);
    dataset.grid = ChunkGrid(node->shape(), chunk);
    if (origin != nullptr) {
      dataset.dimension_names = origin->source.info.dimension_names;
      dataset.attributes_from = origin->source.info.address;
    }
    const auto target = static_cast<std::int32_t>(demands.datasets.size());
    demands.stores.push_back({node, aligned_loop(node->grid, chunk), target});
    demands.datasets.push_back(std::move(dataset));
  }
  return demands;
}

}  // namespace brim::planning
