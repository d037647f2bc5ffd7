#include "ops/region_reader.h"

#include "ops/slabs.h"

namespace brim::ops {

RegionReader::RegionReader(const storage::Source& source)
    : source_(source), scratch_bytes_(storage::read_scratch(source).count()), reader_(source) {}

/// Parts that lie in one piece each in the destination. A compressed chunk is decoded whole by whoever reads of it, so
/// cuts go between chunks.
std::vector<Box> RegionReader::parts(const Box& region, int threads) const {
  const auto shape = region.shape();
  const auto axis = outermost_axis(shape);
  if (threads <= 1 || source_.through_library || axis == shape.size() || worth_threads(shape, threads) <= 1)
    return {region};
  const auto& info = source_.info;
  const bool compressed = info.chunk_shape && !info.filters.empty();
  return slabs(region, axis, worth_threads(shape, threads), compressed ? (*info.chunk_shape)[axis] : 1);
}

Bytes RegionReader::read(const Box& region, std::span<std::byte> destination, TaskContext& context) {
  const Scratch::Frame frame(context.scratch);
  const auto boxes = parts(region, context.threads);
  const auto count = static_cast<int>(boxes.size());
  std::vector<Scratch> scratches;
  for (int i = 0; i < count; ++i) scratches.emplace_back(context.scratch.take(scratch_bytes_));
  std::vector<std::span<std::byte>> pieces;
  for (const auto& box : boxes) {
    const auto bytes = static_cast<std::size_t>(element_count(box.shape()) * item_size(source_.info.dtype));
    pieces.push_back(destination.first(bytes));
    destination = destination.subspan(bytes);
  }
  std::vector<Bytes> read(boxes.size());
  context.team.run(count, [&](int part) {
    const auto i = static_cast<std::size_t>(part);
    read[i] = reader_.read(boxes[i], pieces[i], scratches[i]);
  });
  Bytes sum;
  for (const auto bytes : read) sum += bytes;
  return sum;
}

}  // namespace brim::ops
