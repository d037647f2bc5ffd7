#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "brim/error.h"
#include "brim/executor.h"
#include "runtime/own_file.h"

namespace brim {
namespace {

using nlohmann::json;
using std::chrono::nanoseconds;

constexpr const char* kBeginning = R"({"displayTimeUnit":"ms","traceEvents":[)";

/// The format counts in microseconds.
double microseconds(nanoseconds time) { return static_cast<double>(time.count()) / 1e3; }

std::string quoted(const std::string& text) { return json(text).dump(-1, ' ', false, json::error_handler_t::replace); }

/// The trace event format: one object, an event per line, closed when the observer goes.
class TraceFile final : public Observer {
 public:
  explicit TraceFile(const std::string& path) : path_(path) {
    runtime::require_own_file(path, kBeginning, "trace of a run");
    stream_.open(path, std::ios::trunc);
    if (!stream_)
      throw StorageError(fmt::format("cannot write the trace to {}: {}", path, std::strerror(errno)),
                         "name another file with --trace");
    stream_ << kBeginning;
    write(R"({"ph":"M","pid":1,"name":"process_name","args":{"name":"brim"}})");
  }
  ~TraceFile() override { close(); }
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  void on_start(const Plan&) override { start_ = std::chrono::steady_clock::now(); }
  void on_task(const TaskRecord& task) override {
    name_track(task.worker);
    auto& name = names_[task.op];
    if (name.empty()) name = quoted(task.op);
    write(fmt::format(
        R"({{"ph":"X","pid":1,"tid":{},"name":{},"cat":"task","ts":{:.3f},"dur":{:.3f},"args":{{"task":{},"threads":{},)"
        R"("cpu_ms":{:.3f},"projected_mem":{},"measured_mem":{},"bytes_read":{},"bytes_written":{}}}}})",
        task.worker + 1, name, microseconds(task.start), microseconds(task.end - task.start), task.task, task.threads,
        microseconds(task.cpu) / 1e3, task.projected_mem.count(), task.measured_mem.count(), task.read.count(),
        task.written.count()));
  }
  void on_notice(const std::string& text) override {
    const nanoseconds now = std::chrono::steady_clock::now() - start_;
    write(
        fmt::format(R"({{"ph":"i","s":"g","pid":1,"tid":0,"name":{},"ts":{:.3f}}})", quoted(text), microseconds(now)));
  }
  void on_state(const RunState& state) override {
    const auto time = microseconds(state.elapsed);
    const auto processes = state.held - state.granted - state.resident - state.cached;
    write(fmt::format(R"({{"ph":"C","pid":1,"name":"memory held","ts":{:.3f},)"
                      R"("args":{{"processes":{},"free blocks":{},"resident chunks":{},"granted to tasks":{}}}}})",
                      time, processes.count(), state.cached.count(), state.resident.count(), state.granted.count()));
    write(fmt::format(R"({{"ph":"C","pid":1,"name":"width","ts":{:.3f},"args":{{"running tasks":{}}}}})", time,
                      state.tasks_running));
    stream_.flush();
  }
  void on_finish(const Report&) override {
    close();
    if (!stream_)
      throw StorageError(fmt::format("the trace {} could not be written whole", path_), "is the disk full?");
  }

 private:
  void write(const std::string& event) {
    stream_ << (first_ ? "\n" : ",\n") << event;
    first_ = false;
  }
  /// Track 0 is the process's own.
  void name_track(int worker) {
    if (!tracks_.insert(worker).second) return;
    write(fmt::format(R"({{"ph":"M","pid":1,"tid":{0},"name":"thread_name","args":{{"name":"worker {1}"}}}})",
                      worker + 1, worker));
    write(fmt::format(R"({{"ph":"M","pid":1,"tid":{0},"name":"thread_sort_index","args":{{"sort_index":{0}}}}})",
                      worker + 1));
  }
  void close() {
    if (closed_) return;
    closed_ = true;
    stream_ << "\n]}\n";
    stream_.flush();
  }

  std::string path_;
  std::ofstream stream_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::map<std::string, std::string> names_;  ///< op names as JSON strings
  std::set<int> tracks_;
  bool first_ = true;
  bool closed_ = false;
};

}  // namespace

std::shared_ptr<Observer> trace_file(const std::string& path) { return std::make_shared<TraceFile>(path); }

}  // namespace brim
