#include "runtime/history_reader.h"

#include <fmt/format.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "brim/error.h"

namespace brim::runtime {
namespace {

using nlohmann::json;

constexpr const char* kHint = "give the file that `brim run --history FILE` wrote";
/// Far more than any line of a run has; a file without line ends is not read into memory whole.
constexpr std::size_t kLongestLine = std::size_t{64} << 20;
/// A year is long for a run. Later times would be a damaged digit.
constexpr double kLongestRun = 366.0 * 86400;

/// A field that is missing, of another type or out of its range.
struct FieldError {
  std::string what;
};

const json& field(const json& line, const char* name) {
  const auto found = line.find(name);
  if (found == line.end()) throw FieldError{fmt::format("'{}' is missing", name)};
  return *found;
}

std::int64_t count(const json& line, const char* name) {
  const auto& value = field(line, name);
  const bool whole = value.is_number_unsigned() ? value.get<std::uint64_t>() <= INT64_MAX : value.is_number_integer();
  if (!whole || value.get<std::int64_t>() < 0) throw FieldError{fmt::format("'{}' is not a count", name)};
  return value.get<std::int64_t>();
}

Bytes bytes(const json& line, const char* name) { return Bytes(count(line, name)); }

double number(const json& line, const char* name) {
  const auto& value = field(line, name);
  if (!value.is_number() || !std::isfinite(value.get<double>()))
    throw FieldError{fmt::format("'{}' is not a number", name)};
  return value.get<double>();
}

double time(const json& line, const char* name) {
  const auto value = number(line, name);
  if (value < 0 || value > kLongestRun) throw FieldError{fmt::format("'{}' is not a time of a run", name)};
  return value;
}

std::string text(const json& line, const char* name) {
  const auto& value = field(line, name);
  if (!value.is_string()) throw FieldError{fmt::format("'{}' is not text", name)};
  return value.get<std::string>();
}

const json& list(const json& line, const char* name) {
  const auto& value = field(line, name);
  if (!value.is_array()) throw FieldError{fmt::format("'{}' is not a list", name)};
  return value;
}

std::vector<std::string> texts(const json& line, const char* name) {
  std::vector<std::string> result;
  for (const auto& value : list(line, name)) {
    if (!value.is_string()) throw FieldError{fmt::format("'{}' does not list texts", name)};
    result.push_back(value.get<std::string>());
  }
  return result;
}

HistoryStart start_of(const json& line) {
  HistoryStart start;
  start.budget = bytes(line, "budget");
  start.minimum_budget = bytes(line, "minimum_budget");
  start.total_tasks = count(line, "total_tasks");
  for (const auto& row : list(line, "ops"))
    start.ops.push_back({text(row, "name"), text(row, "kind"), count(row, "tasks"), count(row, "width"),
                         bytes(row, "projected_mem"), bytes(row, "spilled"), texts(row, "fused"), texts(row, "after")});
  return start;
}

HistoryTask task_of(const json& line) {
  HistoryTask task;
  task.op = text(line, "op");
  task.task = count(line, "task");
  task.worker = count(line, "worker");
  task.threads = count(line, "threads");
  task.start = time(line, "start");
  task.end = time(line, "end");
  if (task.end < task.start) throw FieldError{"'end' is before 'start'"};
  task.cpu = time(line, "cpu");
  task.blocked = time(line, "blocked");
  task.projected_mem = bytes(line, "projected_mem");
  task.measured_mem = bytes(line, "measured_mem");
  task.resident = bytes(line, "resident");
  task.read = bytes(line, "bytes_read");
  task.written = bytes(line, "bytes_written");
  task.minor_faults = count(line, "minor_faults");
  return task;
}

HistoryState state_of(const json& line) {
  HistoryState state;
  state.time = time(line, "time");
  state.running = count(line, "running");
  state.workers = count(line, "workers");
  state.held = bytes(line, "held");
  state.granted = bytes(line, "granted");
  state.resident = bytes(line, "resident");
  state.cached = bytes(line, "cached");
  state.budget = bytes(line, "budget");
  return state;
}

HistoryFinish finish_of(const json& line) {
  HistoryFinish finish;
  finish.wall_seconds = time(line, "wall_seconds");
  finish.tasks = count(line, "tasks");
  finish.peak_held = bytes(line, "peak_held");
  finish.memory_time_used = number(line, "memory_time_used");
  finish.workers_started = count(line, "workers_started");
  finish.workers_lost = count(line, "workers_lost");
  finish.retries = count(line, "retries");
  finish.block_grants = count(line, "block_grants");
  finish.block_reuses = count(line, "block_reuses");
  for (const auto& row : list(line, "ops")) finish.widths.push_back(count(row, "width_observed"));
  return finish;
}

HistoryEvent event_of(const json& line) {
  if (!line.is_object()) throw FieldError{"it is not a JSON object"};
  const auto event = text(line, "event");
  if (event == "start") return start_of(line);
  if (event == "task") return task_of(line);
  if (event == "state") return state_of(line);
  if (event == "notice") return HistoryNotice{time(line, "time"), text(line, "text")};
  if (event == "finish") return finish_of(line);
  return HistoryUnknown{};
}

/// Like std::getline, but gives up on a line that no run writes. False at the end of the file.
bool read_line(std::istream& stream, std::string& line) {
  line.clear();
  auto* buffer = stream.rdbuf();
  for (int next = buffer->sbumpc(); next != std::char_traits<char>::eof(); next = buffer->sbumpc()) {
    if (next == '\n') return true;
    if (line.size() == kLongestLine) throw FieldError{"it is longer than any line of a history"};
    line.push_back(static_cast<char>(next));
  }
  stream.setstate(std::ios::eofbit);
  return !line.empty();
}

}  // namespace

HistoryReader::HistoryReader(std::string path) : path_(std::move(path)), stream_(path_, std::ios::binary) {
  const auto failed = [this](const char* why) {
    throw StorageError(fmt::format("cannot read the history {}: {}", path_, why), kHint);
  };
  if (!stream_) failed(std::strerror(errno));
  if (std::filesystem::is_directory(path_)) failed("it is a folder");
}

std::optional<HistoryEvent> HistoryReader::next() {
  ++line_;
  std::string line;
  try {
    if (!read_line(stream_, line)) {
      if (line_ == 1) throw FieldError{"the file is empty"};
      return std::nullopt;
    }
    const auto parsed = json::parse(line, nullptr, false);
    if (parsed.is_discarded()) {
      // What a run was writing when it was killed: only the last line, and never the first whole one.
      if (stream_.eof() && line_ > 1) {
        cut_ = true;
        return std::nullopt;
      }
      throw FieldError{"it is not JSON"};
    }
    auto event = event_of(parsed);
    const bool starts = std::holds_alternative<HistoryStart>(event);
    if (starts && started_) throw FieldError{"a second run begins"};
    if (!starts && !started_) throw FieldError{"a history begins with the plan of its run"};
    started_ = true;
    return event;
  } catch (const FieldError& error) {
    damaged(error.what);
  }
}

std::string HistoryReader::place() const { return fmt::format("{}:{}", path_, line_); }

void HistoryReader::damaged(const std::string& what) const {
  throw StorageError(fmt::format("{}: no line of a run's history: {}", place(), what), kHint);
}

}  // namespace brim::runtime
