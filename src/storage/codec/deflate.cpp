#include "storage/codec/deflate.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>

#include "brim/error.h"
#include "core/check.h"

namespace brim::storage {
namespace {

// zlib counts in 32 bits: give it at most that much at once.
constexpr std::size_t kMostAtOnce = std::numeric_limits<uInt>::max();

void end_inflate(z_stream* stream) {
  inflateEnd(stream);
  delete stream;
}

void end_deflate(z_stream* stream) {
  deflateEnd(stream);
  delete stream;
}

Bytef* writable(const std::byte* data) { return const_cast<Bytef*>(reinterpret_cast<const Bytef*>(data)); }

/// Feeds the stream until it ends or cannot go on; returns zlib's last answer and leaves the unused room in `to`.
int pump(z_stream& stream, int (*step)(z_stream*, int), std::span<const std::byte> from, std::span<std::byte>& to) {
  int answer = Z_OK;
  while (answer == Z_OK) {
    const auto in = std::min(from.size(), kMostAtOnce);
    const auto out = std::min(to.size(), kMostAtOnce);
    stream.next_in = writable(from.data());
    stream.avail_in = static_cast<uInt>(in);
    stream.next_out = writable(to.data());
    stream.avail_out = static_cast<uInt>(out);
    answer = step(&stream, in == from.size() ? Z_FINISH : Z_NO_FLUSH);
    const auto used = in - stream.avail_in;
    const auto made = out - stream.avail_out;
    from = from.subspan(used);
    to = to.subspan(made);
    if (answer == Z_BUF_ERROR && (used > 0 || made > 0)) answer = Z_OK;
  }
  return answer;
}

}  // namespace

Inflater::Inflater() : stream_(new z_stream{}, end_inflate) {
  if (inflateInit(stream_.get()) != Z_OK) throw std::bad_alloc();
}

std::size_t Inflater::inflate(std::span<const std::byte> from, std::span<std::byte> to) {
  check(inflateReset(stream_.get()) == Z_OK, "an inflate stream that cannot start again");
  auto room = to;
  const int answer = pump(*stream_, ::inflate, from, room);
  if (answer == Z_STREAM_END) return to.size() - room.size();
  const bool too_long = answer == Z_BUF_ERROR && room.empty();
  throw StorageError(fmt::format("damaged compressed data: {}", too_long                  ? "more than the chunk holds"
                                                                : stream_->msg != nullptr ? stream_->msg
                                                                                          : "it ends too early"));
}

Deflater::Deflater(int level) : stream_(new z_stream{}, end_deflate) {
  if (deflateInit(stream_.get(), level) != Z_OK) throw std::bad_alloc();
}

std::size_t Deflater::deflate(std::span<const std::byte> from, std::span<std::byte> to) {
  check(deflateReset(stream_.get()) == Z_OK, "a deflate stream that cannot start again");
  auto room = to;
  check(pump(*stream_, ::deflate, from, room) == Z_STREAM_END, "a compressed chunk is larger than its bound");
  return to.size() - room.size();
}

std::int64_t deflate_bound(std::int64_t bytes) {
  return static_cast<std::int64_t>(compressBound(static_cast<uLong>(bytes)));
}

}  // namespace brim::storage
