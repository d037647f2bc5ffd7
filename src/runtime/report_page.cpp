#include "brim/report_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "brim/error.h"
#include "runtime/own_file.h"
#include "runtime/page_text.h"
#include "runtime/run_digest.h"

namespace brim {
namespace {

using nlohmann::json;
using namespace runtime;

// What bounds the page: rows, bars and names, whatever the history holds.
constexpr std::size_t kRowLimit = 500;
constexpr std::size_t kColorCount = 11;
constexpr std::size_t kLaneCells = 64'000;
constexpr std::size_t kTextLimit = 200;
constexpr std::size_t kNameListLimit = 24;

std::string shortened(const std::string& text) {
  return text.size() <= kTextLimit ? text : text.substr(0, kTextLimit) + "...";
}

json shortened(const std::vector<std::string>& names) {
  auto list = json::array();
  for (std::size_t i = 0; i < names.size() && i < kNameListLimit; ++i) list.push_back(shortened(names[i]));
  if (names.size() > kNameListLimit) list.push_back(fmt::format("... ({} in all)", names.size()));
  return list;
}

double microsecond_steps(double seconds) { return std::round(seconds * 1e6) / 1e6; }

/// Numbers of ops, busiest first.
std::vector<std::size_t> by_busy_time(const RunDigest& digest) {
  std::vector<std::size_t> order(digest.ops.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return digest.ops[a].busy > digest.ops[b].busy; });
  return order;
}

/// The ops that the page knows: the first kRowLimit of the busiest, in the plan's order. A position for each op, or -1.
struct Shown {
  std::vector<std::size_t> ops;
  std::vector<std::int32_t> position;
  std::vector<int> color;  ///< -1 for the grey of all others
};

Shown shown_ops(const RunDigest& digest) {
  Shown shown{by_busy_time(digest), std::vector<std::int32_t>(digest.ops.size(), -1),
              std::vector<int>(digest.ops.size(), -1)};
  auto colored = shown.ops;
  colored.resize(std::min(colored.size(), kColorCount));
  std::sort(colored.begin(), colored.end());
  for (std::size_t i = 0; i < colored.size(); ++i) shown.color[colored[i]] = static_cast<int>(i);
  shown.ops.resize(std::min(shown.ops.size(), kRowLimit));
  std::sort(shown.ops.begin(), shown.ops.end());
  for (std::size_t i = 0; i < shown.ops.size(); ++i) shown.position[shown.ops[i]] = static_cast<std::int32_t>(i);
  return shown;
}

json ops_json(const RunDigest& digest, const Shown& shown) {
  auto rows = json::array();
  for (const auto number : shown.ops) {
    const auto& op = digest.ops[number];
    rows.push_back({{"index", rows.size()},
                    {"name", shortened(op.plan.name)},
                    {"kind", shortened(op.plan.kind)},
                    {"color", shown.color[number]},
                    {"planned", op.planned},
                    {"tasks", op.tasks},
                    {"tasks_planned", op.plan.tasks},
                    {"width_planned", op.plan.width},
                    {"width", op.width},
                    {"projected", op.projected.count()},
                    {"projected_planned", op.plan.projected_mem.count()},
                    {"measured", op.measured.count()},
                    {"busy", microsecond_steps(op.busy)},
                    {"cpu", microsecond_steps(op.cpu)},
                    {"first_start", op.first_start},
                    {"last_end", op.last_end},
                    {"read", op.read.count()},
                    {"written", op.written.count()},
                    {"minor_faults", op.minor_faults},
                    {"spilled", op.plan.spilled.count()},
                    {"fused", shortened(op.plan.fused)},
                    {"after", shortened(op.plan.after)}});
  }
  return rows;
}

std::size_t used_bins(const RunDigest& digest) { return digest.bins.bin(digest.end) + 1; }

/// Memory over time. Between two states the last one holds; running tasks' share of it is scaled by what they measured.
json memory_json(const RunDigest& digest) {
  json result;
  HistoryState state;
  state.budget = digest.start.budget;
  for (std::size_t i = 0; i < used_bins(digest); ++i) {
    if (digest.states[i].filled) state = digest.states[i].state;
    const auto& tasks = digest.memory[i];
    const double ratio = tasks.projected > 0 ? tasks.measured / tasks.projected : 0;
    const auto granted = state.granted.count();
    const auto rest = state.held.count() - granted;
    result["granted"].push_back(granted);
    result["resident"].push_back(state.resident.count());
    result["cached"].push_back(state.cached.count());
    result["processes"].push_back(std::max<std::int64_t>(rest - state.resident.count() - state.cached.count(), 0));
    result["measured"].push_back(rest + std::llround(static_cast<double>(granted) * ratio));
    result["budget"].push_back(state.budget.count());
  }
  return result;
}

/// Mean number of running tasks in each bin: a row for each coloured op, one for all others.
json width_json(const RunDigest& digest, const Shown& shown) {
  auto rows = json::array();
  std::vector<double> others(used_bins(digest), 0.0);
  bool any_other = false;
  for (std::size_t op = 0; op < digest.ops.size(); ++op) {
    std::vector<double> values;
    for (std::size_t i = 0; i < used_bins(digest); ++i)
      values.push_back(std::round(1000 * digest.busy[op][i] / digest.bins.width()) / 1000);
    if (shown.color[op] >= 0) {
      rows.push_back({{"op", shown.position[op]}, {"values", values}});
      continue;
    }
    any_other = true;
    for (std::size_t i = 0; i < values.size(); ++i) others[i] += values[i];
  }
  if (any_other) rows.push_back({{"op", -1}, {"values", others}});
  return rows;
}

/// Bins of the workers' tracks, neighbours joined until there are few enough cells.
void add_lanes(json& page, const RunDigest& digest, const Shown& shown) {
  page["lanes"] = json::array();
  for (const auto& lane : digest.lanes)
    page["lanes"].push_back({{"worker", lane.worker}, {"tasks", lane.tasks}, {"busy", microsecond_steps(lane.busy)}});
  std::size_t joined = 1;
  while (digest.lanes.size() * TimeBins::kCount / joined > kLaneCells) joined *= 2;
  const auto width = digest.bins.width() * static_cast<double>(joined);
  const auto bins = (used_bins(digest) + joined - 1) / joined;
  page["lane_bin"] = width;
  page["lane_bins"] = bins;
  page["lane_ops"] = json::array();
  page["lane_shares"] = json::array();
  if (!digest.details.empty()) return;
  for (const auto& lane : digest.lanes) {
    auto ops = json::array();
    std::string shares;
    for (std::size_t bin = 0; bin < bins; ++bin) {
      LaneCell cell;
      for (std::size_t i = bin * joined; i < (bin + 1) * joined; ++i) cell += lane.cells[i];
      const auto op = cell.main_op();
      ops.push_back(op < 0 ? -1 : std::max(shown.position[static_cast<std::size_t>(op)], 0));
      // Ten steps as the digits 0 to 9: a worker that is busy without a break is a 9.
      shares += static_cast<char>('0' + std::clamp(std::lround(9 * cell.busy / width), 0L, 9L));
    }
    page["lane_ops"].push_back(std::move(ops));
    page["lane_shares"].push_back(std::move(shares));
  }
}

json details_json(const RunDigest& digest, const Shown& shown) {
  auto rows = json::array();
  for (const auto& [op, lane, task] : digest.details)
    rows.push_back({std::max(shown.position[static_cast<std::size_t>(op)], 0), lane, task.start, task.end, task.task,
                    task.cpu, task.projected_mem.count(), task.measured_mem.count(), task.threads});
  return rows;
}

json finish_json(const RunDigest& digest) {
  if (!digest.finish) return nullptr;
  const auto& finish = *digest.finish;
  return {{"memory_time_used", finish.memory_time_used}, {"workers_started", finish.workers_started},
          {"workers_lost", finish.workers_lost},         {"retries", finish.retries},
          {"block_grants", finish.block_grants},         {"block_reuses", finish.block_reuses}};
}

json page_json(const RunDigest& digest) {
  const auto shown = shown_ops(digest);
  json page;
  Bytes read;
  Bytes written;
  double busy = 0;
  for (const auto& op : digest.ops) {
    read += op.read;
    written += op.written;
    busy += op.busy;
  }
  page["finish"] = finish_json(digest);
  page["cut"] = digest.cut;
  page["end"] = digest.end;
  page["tasks"] = digest.tasks;
  page["total_tasks"] = digest.start.total_tasks;
  page["budget"] = digest.start.budget.count();
  page["peak_held"] = digest.peak_held.count();
  page["read"] = read.count();
  page["written"] = written.count();
  page["busy"] = microsecond_steps(busy);
  page["op_count"] = digest.ops.size();
  page["bin"] = digest.bins.width();
  page["bins"] = used_bins(digest);
  page["ops"] = ops_json(digest, shown);
  page["memory"] = memory_json(digest);
  page["width"] = width_json(digest, shown);
  add_lanes(page, digest, shown);
  page["tasks_without_lane"] = digest.tasks_without_lane;
  page["details"] = details_json(digest, shown);
  page["notices"] = json::array();
  for (const auto& notice : digest.notices) page["notices"].push_back({notice.time, shortened(notice.text)});
  page["notices_left_out"] = digest.notices_left_out;
  return page;
}

/// JSON that may stand in a script element: nothing in it ends the element.
std::string for_script(const json& value) {
  std::string text;
  for (const char c : value.dump(-1, ' ', false, json::error_handler_t::replace))
    if (c == '<')
      text += "\\u003c";
    else
      text += c;
  return text;
}

}  // namespace

std::string report_page(const std::string& history) {
  auto page = std::string(page_text());
  const std::string mark = "@DATA@";
  return page.replace(page.find(mark), mark.size(), for_script(page_json(digest_history(history))));
}

void write_report_page(const std::string& history, const std::string& page) {
  std::error_code ignored;
  if (std::filesystem::equivalent(history, page, ignored))
    throw UsageError(fmt::format("the page would overwrite the history {}", history), "name another file with -o");
  runtime::require_own_file(page, "<!doctype html>", "web page");
  const auto text = report_page(history);
  const auto partial = page + ".partial";
  const auto failed = [&](int error) {
    std::filesystem::remove(partial, ignored);
    throw StorageError(fmt::format("cannot write the page to {}: {}", page, std::strerror(error)),
                       "name another file with -o");
  };
  errno = 0;
  std::ofstream stream(partial, std::ios::binary | std::ios::trunc);
  stream << text;
  stream.close();
  if (!stream) failed(errno);
  std::error_code renamed;
  std::filesystem::rename(partial, page, renamed);
  if (renamed) failed(renamed.value());
}

}  // namespace brim
