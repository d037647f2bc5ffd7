#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "brim/error.h"
#include "runtime/task_times.h"

namespace brim {
namespace {

using nlohmann::json;

/// What the histories of compressed outputs have beside the plan's ops.
constexpr const char* kAssembly = "assemble";

/// Reads a history line by line; knows the place for errors.
class HistoryReader {
 public:
  HistoryReader(const PhysicalPlan& plan, const std::string& file) : plan_(plan), file_(file), stream_(file) {
    if (!stream_)
      throw StorageError(fmt::format("cannot read the history {}: {}", file, std::strerror(errno)),
                         "name a file that `brim run --history FILE` has written");
  }

  TaskTimes read() {
    std::string line;
    while (std::getline(stream_, line)) {
      ++number_;
      // A killed run leaves a last line without its end.
      const bool cut_off = stream_.eof();
      const auto object = json::parse(line, nullptr, false);
      if (object.is_discarded() && cut_off && number_ > 1) break;
      if (!object.is_object()) damaged("not a JSON object");
      on_event(object);
    }
    if (stream_.bad()) throw StorageError(fmt::format("{}:{}: cannot be read on", file_, number_ + 1));
    if (number_ == 0) {
      number_ = 1;
      damaged("the file is empty");
    }
    return sum_.means(plan_, file_);
  }

 private:
  [[noreturn]] void damaged(const std::string& what) const {
    throw StorageError(fmt::format("{}:{}: {}", file_, number_, what),
                       "name a file that `brim run --history FILE` has written");
  }
  [[noreturn]] void foreign(const std::string& what) const {
    throw UsageError(fmt::format("{}:{}: the history of another workload: {}", file_, number_, what),
                     "measure this workload: brim run WORKLOAD --history FILE");
  }

  void on_event(const json& object) {
    const auto event = text(object, "event");
    if (number_ == 1 && event != "start") damaged("a history begins with a start event");
    if (event == "start") on_start(object);
    if (event == "task") on_task(object);
  }

  void on_start(const json& object) {
    if (number_ > 1) damaged("a second start event: histories of several runs in one file");
    const auto ops = object.find("ops");
    if (ops == object.end() || !ops->is_array()) damaged("the start event has no list of ops");
    for (const auto& op : *ops) {
      if (!op.is_object()) damaged("the start event has an op that is no object");
      const auto name = text(op, "name");
      names_.insert(name);
      compare(name, text(op, "kind"), whole_number(op, "tasks"));
    }
    for (const auto& op : plan_.ops)
      if (op.task_count() > 0 && !names_.contains(op.name)) foreign(fmt::format("it has no op {}", op.name));
  }

  /// An op is the same one when its tasks are as many; a combine may fold more or fewer on another machine.
  void compare(const std::string& name, const std::string& kind, std::int64_t tasks) {
    const auto op = std::find_if(plan_.ops.begin(), plan_.ops.end(),
                                 [&](const ops::PhysicalOp& other) { return other.name == name; });
    if (op == plan_.ops.end()) return;
    if (op->kind() != kind) foreign(fmt::format("op {} is a {} there, a {} here", name, kind, op->kind()));
    if (op->task_count() != tasks && !std::holds_alternative<ops::Combine>(op->detail))
      foreign(fmt::format("op {} has {} tasks there, {} here", name, tasks, op->task_count()));
    sum_.set_task_count(name, tasks);
  }

  void on_task(const json& object) {
    const auto op = text(object, "op");
    const auto start = seconds(object, "start");
    const auto end = seconds(object, "end");
    const auto cpu = seconds(object, "cpu");
    if (end < start) damaged("a task that ends before it starts");
    if (!names_.contains(op)) {
      if (op != kAssembly) damaged(fmt::format("a task of op {}, which the start event does not name", op));
      return;
    }
    sum_.add(op, start, cpu, seconds(object, "blocked"));
  }

  const json& field(const json& object, const char* name) const {
    const auto found = object.find(name);
    if (found == object.end()) damaged(fmt::format("\"{}\" is missing", name));
    return *found;
  }
  std::string text(const json& object, const char* name) const {
    const auto& value = field(object, name);
    if (!value.is_string()) damaged(fmt::format("\"{}\" is no text", name));
    return value.get<std::string>();
  }
  std::int64_t whole_number(const json& object, const char* name) const {
    const auto& value = field(object, name);
    if (!value.is_number_integer() || value.get<std::int64_t>() < 0)
      damaged(fmt::format("\"{}\" is no whole number", name));
    return value.get<std::int64_t>();
  }
  double seconds(const json& object, const char* name) const {
    const auto& value = field(object, name);
    const double number = value.is_number() ? value.get<double>() : -1.0;
    if (!(number >= 0) || !std::isfinite(number)) damaged(fmt::format("\"{}\" is no time in seconds", name));
    return number;
  }

  const PhysicalPlan& plan_;
  const std::string& file_;
  std::ifstream stream_;
  std::int64_t number_ = 0;
  std::set<std::string> names_;
  runtime::TimeSum sum_;
};

}  // namespace

TaskTimes read_history_times(const Plan& plan, const std::string& file) {
  return HistoryReader(plan.physical(), file).read();
}

}  // namespace brim
