#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "pool/protocol.h"

/// Messages in a stream of bytes: four bytes of length, then what put() wrote.
namespace brim::pool {

/// No message is longer: what announces more is not a message.
inline constexpr std::int64_t kLongestFrame = std::int64_t{256} << 20;

/// Bytes on their way out, in order.
class OutgoingFrames {
 public:
  /// Throws InternalError for a message longer than kLongestFrame.
  void add(const ToWorker& message) { add_message(message); }
  void add(const ToCoordinator& message) { add_message(message); }

  std::span<const std::byte> pending() const { return std::span(bytes_).subspan(sent_); }
  bool empty() const { return sent_ == bytes_.size(); }
  /// The first `count` bytes are with the socket.
  void drop(std::size_t count);
  void clear();

 private:
  template <typename Message>
  void add_message(const Message& message);

  std::vector<std::byte> bytes_;
  std::size_t sent_ = 0;
};

/// Bytes that came in, cut into frames.
class IncomingFrames {
 public:
  /// Room to read into. Ends the validity of what next() gave.
  std::span<std::byte> space();
  /// The first `count` bytes of space() were filled.
  void filled(std::size_t count) { end_ += count; }
  /// The contents of the next whole frame. Throws InternalError when the stream cannot be frames.
  std::optional<std::span<const std::byte>> next();
  /// True when bytes of an unfinished frame are left.
  bool partial() const { return start_ != end_; }

 private:
  /// The whole length of the frame at the start; 0 while that is unknown.
  std::size_t frame_length() const;

  std::vector<std::byte> bytes_;
  std::size_t start_ = 0;
  std::size_t end_ = 0;
};

}  // namespace brim::pool
