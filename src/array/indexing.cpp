#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "array/graph.h"
#include "brim/error.h"

namespace brim {
namespace {

/// Python's slice.indices(): first index, and how many.
AxisIndex resolve(const Slice& slice, std::int64_t extent) {
  if (slice.step == 0) throw UsageError("a slice has the step 0", "steps are 1 or more, or negative to walk backwards");
  if (slice.step == std::numeric_limits<std::int64_t>::min()) throw UsageError("a slice has a step below -2^63+1");
  const bool backwards = slice.step < 0;
  const std::int64_t low = backwards ? -1 : 0;
  const std::int64_t high = backwards ? extent - 1 : extent;
  const auto place = [&](std::optional<std::int64_t> bound, std::int64_t missing) {
    if (!bound) return missing;
    const auto index = *bound < 0 ? std::max(*bound, -extent - 1) + extent : *bound;
    return std::clamp(index, low, high);
  };
  const auto start = place(slice.start, backwards ? high : low);
  const auto stop = place(slice.stop, backwards ? low : high);
  const auto distance = backwards ? start - stop : stop - start;
  const auto stride = std::abs(slice.step);
  AxisIndex axis{AxisIndex::Kind::kSlice, start, slice.step, 0};
  if (distance > 0) axis.count = (distance - 1) / stride + 1;
  if (axis.count <= 1) axis.step = 1;
  if (axis.count == 0) axis.start = 0;  // backwards from before the first element
  return axis;
}

AxisIndex resolve(std::int64_t index, std::size_t axis, const Shape& shape) {
  const auto extent = shape[axis];
  if (index < -extent || index >= extent)
    throw UsageError(fmt::format("index {} is out of bounds for axis {} of shape {}", index, axis, to_string(shape)));
  return {AxisIndex::Kind::kInteger, index < 0 ? index + extent : index, 1, 0};
}

/// The items with the ellipsis (one at the end where there is none) spelled out as whole slices.
std::vector<IndexItem> spelled_out(const std::vector<IndexItem>& items, const Shape& shape) {
  std::size_t consumed = 0;
  std::size_t ellipses = 0;
  for (const auto& item : items) {
    if (std::holds_alternative<Ellipsis>(item))
      ++ellipses;
    else if (!std::holds_alternative<NewAxis>(item))
      ++consumed;
  }
  if (ellipses > 1) throw UsageError("an index has more than one ellipsis '...'");
  if (consumed > shape.size())
    throw UsageError(fmt::format("an index of {} axes for an array of shape {}", consumed, to_string(shape)));
  std::vector<IndexItem> whole;
  const auto fill = [&] { whole.insert(whole.end(), shape.size() - consumed, Slice{}); };
  for (const auto& item : items) {
    if (std::holds_alternative<Ellipsis>(item))
      fill();
    else
      whole.push_back(item);
  }
  if (ellipses == 0) fill();
  return whole;
}

}  // namespace

Array index(const Array& x, const std::vector<IndexItem>& items) {
  IndexNode node;
  Shape shape;
  Shape chunk;
  std::size_t axis = 0;
  for (const auto& item : spelled_out(items, x.shape())) {
    if (std::holds_alternative<NewAxis>(item)) {
      node.axes.push_back({AxisIndex::Kind::kNewAxis, 0, 1, 1});
      shape.push_back(1);
      chunk.push_back(1);
      continue;
    }
    if (const auto* number = std::get_if<std::int64_t>(&item)) {
      node.axes.push_back(resolve(*number, axis++, x.shape()));
      continue;
    }
    const auto entry = resolve(std::get<Slice>(item), x.shape()[axis]);
    const auto stride = std::abs(entry.step);
    shape.push_back(entry.count);
    chunk.push_back((x.grid().chunk_shape()[axis] - 1) / stride + 1);
    node.axes.push_back(entry);
    ++axis;
  }
  return make_array(x.dtype(), ChunkGrid(shape, chunk), {x.node()}, std::move(node));
}

}  // namespace brim
