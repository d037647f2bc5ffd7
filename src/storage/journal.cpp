#include "storage/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <libdeflate.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "brim/error.h"

namespace brim::storage {
namespace {

/// Header and records alike: three numbers and their checksum, which no run of zeros has.
using Numbers = std::array<std::uint64_t, 3>;
constexpr std::int64_t kRecordBytes = sizeof(Numbers) + sizeof(std::uint32_t);
using Record = std::array<std::byte, kRecordBytes>;
constexpr std::uint32_t kSeed = 0x4272696D;

std::uint32_t checksum(const Numbers& numbers) { return libdeflate_crc32(kSeed, numbers.data(), sizeof numbers); }

Record make_record(const Numbers& numbers) {
  Record record{};
  const auto sum = checksum(numbers);
  std::memcpy(record.data(), numbers.data(), sizeof numbers);
  std::memcpy(record.data() + sizeof numbers, &sum, sizeof sum);
  return record;
}

std::optional<Numbers> find_record(const File& file, std::int64_t place) {
  if (place + kRecordBytes > file.stamp().size) return std::nullopt;
  Record record{};
  file.read(place, record);
  Numbers numbers{};
  std::uint32_t sum = 0;
  std::memcpy(numbers.data(), record.data(), sizeof numbers);
  std::memcpy(&sum, record.data() + sizeof numbers, sizeof sum);
  return sum == checksum(numbers) ? std::optional(numbers) : std::nullopt;
}

[[noreturn]] void refuse(const std::string& output, const std::string& what) {
  throw StorageError(fmt::format("cannot go on with {}: {}", output, what),
                     "run without --resume to start anew; what was done so far is then given up");
}

}  // namespace

std::string Journal::path(const std::string& output) {
  const auto place = std::filesystem::path(output);
  return (place.parent_path() / fmt::format(".{}.brim-journal", place.filename().string())).string();
}

Journal::Journal(const std::string& output, const RunIdentity& identity, std::uint64_t mark)
    : file_(File::adopt(open(path(output).c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666),
                        path(output))) {
  if (file_.descriptor() < 0) throw_system_error("make", path(output), errno);
  file_.write(0, make_record({identity.plan, identity.inputs, mark}));
  end_ = kRecordBytes;
}

std::optional<Journal> Journal::find(const std::string& output, const RunIdentity& identity, std::uint64_t mark) {
  if (access(path(output).c_str(), F_OK) != 0) return std::nullopt;
  Journal journal(File::open(path(output), File::Access::kWrite));
  const auto header = find_record(journal.file_, 0);
  if (!header) return std::nullopt;
  if ((*header)[1] != identity.inputs) refuse(output, "an input was changed since the run that was stopped");
  if ((*header)[0] != identity.plan)
    refuse(output, "the workload, or the memory it is planned for, is not that of the run that was stopped");
  if ((*header)[2] != mark) refuse(output, "it was changed since, or its unfinished file was");
  journal.end_ = kRecordBytes;
  while (const auto record = find_record(journal.file_, journal.end_)) {
    journal.finished_.push_back({static_cast<std::int32_t>((*record)[0]), static_cast<std::int64_t>((*record)[1])});
    journal.end_ += kRecordBytes;
  }
  return journal;
}

void Journal::add(FinishedTask task) {
  file_.write(end_, make_record({static_cast<std::uint64_t>(task.op), static_cast<std::uint64_t>(task.index), 0}));
  end_ += kRecordBytes;
}

}  // namespace brim::storage
