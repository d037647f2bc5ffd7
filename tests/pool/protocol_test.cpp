#include "pool/protocol.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "pool/frames.h"

namespace brim::pool {
namespace {

std::vector<std::byte> bytes_of(const std::string& text) {
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

std::vector<ToWorker> messages_to_worker() {
  const Run run{
      7, 3, 1'000'000'000'000, {Bytes(5), Bytes(6)}, 4, {{4096, Bytes(100), 5}, {0, Bytes(1)}}, {8192, Bytes(9)}};
  return {Targets{{bytes_of("a"), bytes_of("")}},
          Define{2, bytes_of("an op")},
          run,
          Assemble{8, {bytes_of("t")}, {Bytes(1), Bytes(2)}},
          Trim{Bytes(12)},
          Stop{}};
}

std::vector<ToCoordinator> messages_to_coordinator() {
  const TaskUsage usage{Bytes(1), Bytes(2), Bytes(3), 4, 5, 6, 7, 8, Bytes(9), Bytes(10)};
  const ErrorRecord error{ErrorKind::kStorage, "what", "hint", {"in a", "in b"}};
  return {Ready{42, Bytes(1)}, Done{1, usage}, Failed{2, error, true, usage}, Trimmed{Bytes(4)}};
}

template <typename Message>
std::vector<std::byte> encode(const Message& message) {
  ArchiveWriter archive;
  put(archive, message);
  return archive.take();
}

void decode(std::span<const std::byte> bytes, ToWorker& message) {
  ArchiveReader archive(bytes);
  message = get_to_worker(archive);
}
void decode(std::span<const std::byte> bytes, ToCoordinator& message) {
  ArchiveReader archive(bytes);
  message = get_to_coordinator(archive);
}

/// Every message comes back with the same type and the same encoding, and no part of it decodes.
template <typename Message>
void expect_round_trips(const std::vector<Message>& messages) {
  for (const auto& message : messages) {
    const auto bytes = encode(message);
    Message back;
    decode(bytes, back);
    EXPECT_EQ(back.index(), message.index());
    EXPECT_EQ(encode(back), bytes);
    for (std::size_t length = 0; length < bytes.size(); ++length)
      EXPECT_THROW(decode(std::span(bytes).first(length), back), InternalError) << message.index() << " " << length;
    auto longer = bytes;
    longer.push_back(std::byte{0});
    EXPECT_THROW(decode(longer, back), InternalError);
  }
}

TEST(Protocol, EveryMessageComesBackAsItWasAndNoPartOfItIsAMessage) {
  expect_round_trips(messages_to_worker());
  expect_round_trips(messages_to_coordinator());
}

TEST(Protocol, FieldsComeBackInTheirPlaces) {
  ToWorker message;
  decode(encode(messages_to_worker()[2]), message);
  const auto& run = std::get<pool::Run>(message);
  EXPECT_EQ(run.sequence, 7);
  EXPECT_EQ(run.op, 3);
  EXPECT_EQ(run.task_index, 1'000'000'000'000);
  EXPECT_EQ(run.grant, (Grant{Bytes(5), Bytes(6)}));
  EXPECT_EQ(run.threads, 4);
  EXPECT_EQ(run.inputs, (std::vector<shm::Block>{{4096, Bytes(100), 5}, {0, Bytes(1)}}));
  EXPECT_EQ(run.output, (shm::Block{8192, Bytes(9)}));

  ToCoordinator answer;
  decode(encode(messages_to_coordinator()[2]), answer);
  const auto& failed = std::get<Failed>(answer);
  EXPECT_TRUE(failed.memory);
  EXPECT_EQ(failed.error.context, (std::vector<std::string>{"in a", "in b"}));
  EXPECT_EQ(failed.usage.measured, Bytes(1));
  EXPECT_EQ(failed.usage.blocked_ns, 6);
  EXPECT_EQ(failed.usage.end_ns, 8);
  EXPECT_EQ(failed.usage.bytes_written, Bytes(10));
}

TEST(Protocol, RandomBytesAreAMessageOrAnError) {
  constexpr unsigned kSeed = 20'240'117;
  std::mt19937 random(kSeed);
  int errors = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::vector<std::byte> bytes(random() % 200);
    for (auto& byte : bytes) byte = static_cast<std::byte>(random() % (round % 2 == 0 ? 256 : 8));
    try {
      ToWorker message;
      decode(bytes, message);
    } catch (const InternalError&) {
      ++errors;
    }
    try {
      ToCoordinator message;
      decode(bytes, message);
    } catch (const InternalError&) {
      ++errors;
    }
  }
  EXPECT_GT(errors, 30'000) << "seed " << kSeed;
}

TEST(Frames, AStreamCutAnywhereGivesTheSameMessages) {
  OutgoingFrames out;
  std::vector<std::vector<std::byte>> expected;
  for (const auto& message : messages_to_worker()) {
    out.add(message);
    expected.push_back(encode(message));
  }
  const std::vector<std::byte> stream(out.pending().begin(), out.pending().end());
  for (std::size_t piece = 1; piece <= stream.size(); ++piece) {
    IncomingFrames in;
    std::vector<std::vector<std::byte>> got;
    for (std::size_t at = 0; at < stream.size(); at += piece) {
      const auto count = std::min(piece, stream.size() - at);
      std::copy_n(stream.begin() + static_cast<std::ptrdiff_t>(at), count, in.space().begin());
      in.filled(count);
      while (const auto frame = in.next()) got.emplace_back(frame->begin(), frame->end());
    }
    EXPECT_EQ(got, expected) << "pieces of " << piece;
    EXPECT_FALSE(in.partial());
  }
}

TEST(Frames, AnImpossibleLengthIsAnErrorBeforeAnyMemoryIsTaken) {
  IncomingFrames in;
  std::fill_n(in.space().begin(), 8, std::byte{0xff});
  in.filled(8);
  EXPECT_THROW(in.next(), InternalError);
}

TEST(Frames, WhatWasSentInPartGoesOnWhereItStopped) {
  OutgoingFrames out;
  out.add(ToWorker(Trim{Bytes(1)}));
  const std::vector<std::byte> whole(out.pending().begin(), out.pending().end());
  out.drop(3);
  out.add(ToWorker(Stop{}));
  EXPECT_TRUE(std::equal(whole.begin() + 3, whole.end(), out.pending().begin()));
  out.drop(out.pending().size());
  EXPECT_TRUE(out.empty());
}

}  // namespace
}  // namespace brim::pool
