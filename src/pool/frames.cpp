#include "pool/frames.h"

#include <cstring>

#include "core/check.h"

namespace brim::pool {
namespace {

using FrameHeader = std::uint32_t;
constexpr std::size_t kReadSize = std::size_t{64} << 10;
/// A buffer that one long message has blown up is not kept.
constexpr std::size_t kKeptBuffer = std::size_t{1} << 20;

}  // namespace

template <typename Message>
void OutgoingFrames::add_message(const Message& message) {
  ArchiveWriter archive;
  put(archive, message);
  const auto contents = archive.bytes();
  check(contents.size() <= static_cast<std::size_t>(kLongestFrame), "a message is too long to send");
  const auto length = static_cast<FrameHeader>(contents.size());
  const auto* header = reinterpret_cast<const std::byte*>(&length);
  bytes_.insert(bytes_.end(), header, header + sizeof length);
  bytes_.insert(bytes_.end(), contents.begin(), contents.end());
}
template void OutgoingFrames::add_message(const ToWorker& message);
template void OutgoingFrames::add_message(const ToCoordinator& message);

void OutgoingFrames::drop(std::size_t count) {
  sent_ += count;
  if (sent_ == bytes_.size()) clear();
}

void OutgoingFrames::clear() {
  bytes_.clear();
  sent_ = 0;
  if (bytes_.capacity() > kKeptBuffer) bytes_.shrink_to_fit();
}

std::size_t IncomingFrames::frame_length() const {
  FrameHeader length = 0;
  if (end_ - start_ < sizeof length) return 0;
  std::memcpy(&length, bytes_.data() + start_, sizeof length);
  check(length <= static_cast<std::size_t>(kLongestFrame), "a message announces an impossible length");
  return sizeof length + length;
}

std::span<std::byte> IncomingFrames::space() {
  if (start_ > 0) {
    std::memmove(bytes_.data(), bytes_.data() + start_, end_ - start_);
    end_ -= start_;
    start_ = 0;
  }
  if (end_ == 0 && bytes_.capacity() > kKeptBuffer) bytes_ = {};
  // Grows with what really comes, not with what a header says.
  if (bytes_.size() - end_ < kReadSize / 2) bytes_.resize(std::max(kReadSize, bytes_.size() * 2));
  return std::span(bytes_).subspan(end_);
}

std::optional<std::span<const std::byte>> IncomingFrames::next() {
  const auto length = frame_length();
  if (length == 0 || end_ - start_ < length) return std::nullopt;
  const auto contents = std::span(bytes_).subspan(start_ + sizeof(FrameHeader), length - sizeof(FrameHeader));
  start_ += length;
  return contents;
}

}  // namespace brim::pool
