#include "brim/read.h"

#include "storage/source.h"

namespace brim {
namespace {

Values read_region(const storage::Source& source, const Box& region) {
  Values values{source.info.dtype, region.shape(), {}};
  values.bytes.resize(static_cast<std::size_t>(element_count(values.shape) * item_size(values.dtype)));
  std::vector<std::byte> memory(static_cast<std::size_t>(storage::read_scratch(source).count()) + Scratch::kAlignment);
  Scratch scratch(memory);
  storage::Reader(source).read(region, values.bytes, scratch);
  return values;
}

}  // namespace

Values read(const std::string& address) {
  const auto source = storage::open_source(parse_address(address), {});
  const auto& shape = source.info.shape;
  return read_region(source, {Shape(shape.size(), 0), shape});
}

Values read(const std::string& address, const Box& region) {
  const auto source = storage::open_source(parse_address(address), {});
  const auto& shape = source.info.shape;
  bool inside = region.start.size() == shape.size() && region.stop.size() == shape.size();
  for (std::size_t axis = 0; inside && axis < shape.size(); ++axis)
    inside = region.start[axis] >= 0 && region.start[axis] <= region.stop[axis] && region.stop[axis] <= shape[axis];
  if (!inside)
    throw UsageError("region " + to_string(region) + " does not lie in " + address + " of shape " + to_string(shape));
  return read_region(source, region);
}

}  // namespace brim
