#include "pool/protocol.h"

#include <type_traits>
#include <utility>

#include "core/check.h"

namespace brim::pool {
namespace {

using Blobs = std::vector<std::vector<std::byte>>;

void put_blobs(ArchiveWriter& archive, const Blobs& blobs) {
  archive.put_all(blobs, [](ArchiveWriter& out, const std::vector<std::byte>& blob) { out.put(blob); });
}
Blobs get_blobs(ArchiveReader& archive) {
  return archive.get_all<std::vector<std::byte>>([](ArchiveReader& in) { return in.get_blob(); });
}

void put_block(ArchiveWriter& archive, const shm::Block& block) {
  archive.put(block.offset);
  archive.put(block.size);
  archive.put(block.generation);
}
shm::Block get_block(ArchiveReader& archive) {
  shm::Block block;
  block.offset = archive.get<std::int64_t>();
  block.size = archive.get_bytes();
  block.generation = archive.get<std::int64_t>();
  return block;
}

void put_grant(ArchiveWriter& archive, const Grant& grant) {
  archive.put(grant.scratch);
  archive.put(grant.library);
}
Grant get_grant(ArchiveReader& archive) {
  Grant grant;
  grant.scratch = archive.get_bytes();
  grant.library = archive.get_bytes();
  return grant;
}

void put_usage(ArchiveWriter& archive, const TaskUsage& usage) {
  archive.put(usage.measured);
  archive.put(usage.scratch_peak);
  archive.put(usage.held);
  archive.put(usage.minor_faults);
  archive.put(usage.cpu_ns);
  archive.put(usage.blocked_ns);
  archive.put(usage.start_ns);
  archive.put(usage.end_ns);
  archive.put(usage.bytes_read);
  archive.put(usage.bytes_written);
}
TaskUsage get_usage(ArchiveReader& archive) {
  TaskUsage usage;
  usage.measured = archive.get_bytes();
  usage.scratch_peak = archive.get_bytes();
  usage.held = archive.get_bytes();
  usage.minor_faults = archive.get<std::int64_t>();
  usage.cpu_ns = archive.get<std::int64_t>();
  usage.blocked_ns = archive.get<std::int64_t>();
  usage.start_ns = archive.get<std::int64_t>();
  usage.end_ns = archive.get<std::int64_t>();
  usage.bytes_read = archive.get_bytes();
  usage.bytes_written = archive.get_bytes();
  return usage;
}

void put_fields(ArchiveWriter& archive, const Targets& message) { put_blobs(archive, message.archives); }
void get_fields(ArchiveReader& archive, Targets& message) { message.archives = get_blobs(archive); }

void put_fields(ArchiveWriter& archive, const Define& message) {
  archive.put(message.op);
  archive.put(message.archive);
}
void get_fields(ArchiveReader& archive, Define& message) {
  message.op = archive.get<std::int32_t>();
  message.archive = archive.get_blob();
}

void put_fields(ArchiveWriter& archive, const Run& message) {
  archive.put(message.sequence);
  archive.put(message.op);
  archive.put(message.task_index);
  put_grant(archive, message.grant);
  archive.put(message.threads);
  archive.put_all(message.inputs, put_block);
  put_block(archive, message.output);
}
void get_fields(ArchiveReader& archive, Run& message) {
  message.sequence = archive.get<std::int64_t>();
  message.op = archive.get<std::int32_t>();
  message.task_index = archive.get<std::int64_t>();
  message.grant = get_grant(archive);
  message.threads = archive.get<std::int32_t>();
  message.inputs = archive.get_all<shm::Block>(get_block);
  message.output = get_block(archive);
}

void put_fields(ArchiveWriter& archive, const Assemble& message) {
  archive.put(message.sequence);
  put_blobs(archive, message.targets);
  put_grant(archive, message.grant);
}
void get_fields(ArchiveReader& archive, Assemble& message) {
  message.sequence = archive.get<std::int64_t>();
  message.targets = get_blobs(archive);
  message.grant = get_grant(archive);
}

void put_fields(ArchiveWriter& archive, const Trim& message) { archive.put(message.keep); }
void get_fields(ArchiveReader& archive, Trim& message) { message.keep = archive.get_bytes(); }

void put_fields(ArchiveWriter&, const Stop&) {}
void get_fields(ArchiveReader&, Stop&) {}

void put_fields(ArchiveWriter& archive, const Ready& message) {
  archive.put(message.pid);
  archive.put(message.rss);
}
void get_fields(ArchiveReader& archive, Ready& message) {
  message.pid = archive.get<std::int64_t>();
  message.rss = archive.get_bytes();
}

void put_fields(ArchiveWriter& archive, const Done& message) {
  archive.put(message.sequence);
  put_usage(archive, message.usage);
}
void get_fields(ArchiveReader& archive, Done& message) {
  message.sequence = archive.get<std::int64_t>();
  message.usage = get_usage(archive);
}

void put_fields(ArchiveWriter& archive, const Failed& message) {
  archive.put(message.sequence);
  archive.put(message.error);
  archive.put(message.memory);
  put_usage(archive, message.usage);
}
void get_fields(ArchiveReader& archive, Failed& message) {
  message.sequence = archive.get<std::int64_t>();
  message.error = archive.get_error();
  message.memory = archive.get<std::uint8_t>() != 0;
  message.usage = get_usage(archive);
}

void put_fields(ArchiveWriter& archive, const Trimmed& message) { archive.put(message.held); }
void get_fields(ArchiveReader& archive, Trimmed& message) { message.held = archive.get_bytes(); }

template <typename Message>
void put_message(ArchiveWriter& archive, const Message& message) {
  archive.put(static_cast<std::uint8_t>(message.index()));
  std::visit([&](const auto& fields) { put_fields(archive, fields); }, message);
}

/// The alternative number `Index`, when that is the type that the frame names.
template <typename Message, std::size_t Index>
bool try_get(ArchiveReader& archive, std::uint8_t type, Message& message) {
  if (type != Index) return false;
  get_fields(archive, message.template emplace<Index>());
  return true;
}

template <typename Message>
Message get_message(ArchiveReader& archive) {
  const auto type = archive.get<std::uint8_t>();
  Message message;
  const bool known = [&]<std::size_t... Index>(std::index_sequence<Index...>) {
    return (try_get<Message, Index>(archive, type, message) || ...);
  }
  (std::make_index_sequence<std::variant_size_v<Message>>());
  check(known, "a message of a type that does not exist");
  check(archive.done(), "a message is longer than its contents");
  return message;
}

}  // namespace

void put(ArchiveWriter& archive, const ToWorker& message) { put_message(archive, message); }
void put(ArchiveWriter& archive, const ToCoordinator& message) { put_message(archive, message); }
ToWorker get_to_worker(ArchiveReader& archive) { return get_message<ToWorker>(archive); }
ToCoordinator get_to_coordinator(ArchiveReader& archive) { return get_message<ToCoordinator>(archive); }

}  // namespace brim::pool
