#include <fmt/format.h>

#include "array/auto_chunks.h"
#include "array/graph.h"
#include "brim/error.h"

namespace brim {

Array open(const std::string& address, const OpenArrayOptions& options) {
  auto source = storage::open_source(parse_address(address), {.decode = options.decode});
  const auto& info = source.info;
  if (info.shape.size() > kMaxRank)
    throw UsageError(fmt::format("{} has {} axes; brim computes with up to {}", address, info.shape.size(), kMaxRank));
  const auto chunk =
      options.chunks ? *options.chunks : auto_chunks(info.shape, item_size(info.dtype), info.chunk_shape);
  const ChunkGrid grid(info.shape, chunk);
  const auto dtype = info.dtype;
  return make_array(dtype, grid, {}, SourceNode{std::move(source)});
}

Output store(const Array& array, const std::string& address, const StoreOptions& options) {
  return {array, parse_address(address), options};
}

Output discard(const Array& array) { return {array, std::nullopt, {}}; }

}  // namespace brim
