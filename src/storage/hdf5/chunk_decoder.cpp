#include "storage/hdf5/chunk_decoder.h"

#include <fmt/format.h>

#include "brim/error.h"
#include "storage/codec/fletcher32.h"
#include "storage/codec/shuffle.h"

namespace brim::storage::hdf5 {

std::int64_t ChunkDecoder::most_stored(std::int64_t chunk_bytes) { return chunk_bytes + chunk_bytes / 64 + 4096; }

ChunkDecoder::ChunkDecoder(const std::vector<Filter>& filters, std::int64_t chunk_bytes)
    : filters_(filters), chunk_bytes_(chunk_bytes) {}

std::span<std::byte> ChunkDecoder::decode(std::span<std::byte> stored, std::uint32_t filter_mask,
                                          std::span<std::byte> buffer, std::span<std::byte> other) {
  auto data = stored;
  const auto swap_to = [&](std::size_t size) {
    std::swap(buffer, other);
    data = buffer.first(size);
  };
  for (std::size_t i = filters_.size(); i-- > 0;) {
    if ((filter_mask >> i & 1U) != 0) continue;
    const Filter& filter = filters_[i];
    if (filter.id == H5Z_FILTER_DEFLATE) {
      if (!inflater_) inflater_.emplace();
      swap_to(inflater_->inflate(data, other));
    } else if (filter.id == H5Z_FILTER_SHUFFLE) {
      unshuffle_bytes(data, other.first(data.size()), filter.element_size);
      swap_to(data.size());
    } else {
      data = verified_fletcher32(data);
      if (data.data() == nullptr) throw StorageError("its fletcher32 checksum does not match: the data are damaged");
    }
  }
  if (static_cast<std::int64_t>(data.size()) != chunk_bytes_)
    throw StorageError(fmt::format("it holds {} bytes instead of {}", data.size(), chunk_bytes_));
  return data;
}

}  // namespace brim::storage::hdf5
