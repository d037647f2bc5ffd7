#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "brim/error.h"
#include "brim/executor.h"
#include "runtime/own_file.h"

namespace brim {
namespace {

using nlohmann::json;

double seconds(std::chrono::nanoseconds time) { return std::chrono::duration<double>(time).count(); }

json op_json(const OpReport& op) {
  return {{"name", op.name},
          {"tasks", op.tasks},
          {"width_planned", op.width_planned},
          {"width_observed", op.width_observed},
          {"projected_mem", op.projected_mem.count()},
          {"measured_mem", op.measured_mem.count()},
          {"busy_seconds", seconds(op.busy)},
          {"cpu_seconds", seconds(op.cpu)},
          {"bytes_read", op.read.count()},
          {"bytes_written", op.written.count()},
          {"minor_faults", op.minor_faults}};
}

/// One JSON object a line, flushed with every state, so that a killed run leaves a readable history.
class HistoryFile final : public Observer {
 public:
  explicit HistoryFile(const std::string& path) : path_(path) {
    runtime::require_own_file(path, R"({"budget":)", "history of a run");
    stream_.open(path, std::ios::trunc);
    if (!stream_)
      throw StorageError(fmt::format("cannot write the history to {}: {}", path, std::strerror(errno)),
                         "name another file with --history");
  }

  void on_start(const Plan& plan) override {
    start_ = std::chrono::steady_clock::now();
    auto line = json::parse(plan.to_json());
    line["event"] = "start";
    write(line.dump());
  }
  void on_task(const TaskRecord& task) override {
    auto& name = names_[task.op];
    if (name.empty()) name = json(task.op).dump();
    write(fmt::format(
        R"({{"event":"task","op":{},"task":{},"worker":{},"threads":{},"start":{:.6f},"end":{:.6f},"cpu":{:.6f},)"
        R"("blocked":{:.6f},"projected_mem":{},"measured_mem":{},"resident":{},"bytes_read":{},"bytes_written":{},)"
        R"("minor_faults":{}}})",
        name, task.task, task.worker, task.threads, seconds(task.start), seconds(task.end), seconds(task.cpu),
        seconds(task.blocked), task.projected_mem.count(), task.measured_mem.count(), task.resident.count(),
        task.read.count(), task.written.count(), task.minor_faults));
  }
  void on_notice(const std::string& text) override {
    const json line{{"event", "notice"}, {"time", seconds(std::chrono::steady_clock::now() - start_)}, {"text", text}};
    write(line.dump(-1, ' ', false, json::error_handler_t::replace));
  }
  void on_state(const RunState& state) override {
    write(fmt::format(
        R"({{"event":"state","time":{:.6f},"tasks_done":{},"running":{},"workers":{},"held":{},"granted":{},"resident":{},"cached":{},"budget":{}}})",
        seconds(state.elapsed), state.tasks_done, state.tasks_running, state.workers, state.held.count(),
        state.granted.count(), state.resident.count(), state.cached.count(), state.budget.count()));
    stream_.flush();
  }
  void on_finish(const Report& report) override {
    json line{{"event", "finish"},
              {"wall_seconds", seconds(report.wall)},
              {"tasks", report.tasks},
              {"budget", report.budget.count()},
              {"peak_held", report.peak_held.count()},
              {"memory_time_used", report.memory_time_used},
              {"memory_bound_seconds", seconds(report.memory_bound)},
              {"memory_bound_used", report.memory_bound_used},
              {"workers_started", report.workers_started},
              {"resizes", report.resizes},
              {"resize_seconds", seconds(report.resize_time)},
              {"workers_lost", report.workers_lost},
              {"retries", report.retries},
              {"block_grants", report.block_grants},
              {"block_reuses", report.block_reuses}};
    line["ops"] = json::array();
    for (const auto& op : report.ops) line["ops"].push_back(op_json(op));
    write(line.dump());
    stream_.flush();
    if (!stream_)
      throw StorageError(fmt::format("the history {} could not be written whole", path_), "is the disk full?");
  }

 private:
  void write(const std::string& line) { stream_ << line << '\n'; }

  std::string path_;
  std::ofstream stream_;
  std::chrono::steady_clock::time_point start_;
  std::map<std::string, std::string> names_;  ///< op names as JSON strings
};

}  // namespace

std::shared_ptr<Observer> history_file(const std::string& path) { return std::make_shared<HistoryFile>(path); }

}  // namespace brim
