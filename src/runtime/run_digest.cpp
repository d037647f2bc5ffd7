#include "runtime/run_digest.h"

#include <fmt/format.h>

#include <algorithm>

#include "brim/error.h"

namespace brim::runtime {
namespace {

/// Ops that a plan does not name, such as putting compressed files together: few.
constexpr std::size_t kUnplannedLimit = 64;

/// Takes events one by one and keeps their sums.
class Digester {
 public:
  explicit Digester(const HistoryReader& reader) : reader_(reader) {}

  void add(const HistoryStart& start) {
    digest_.start = start;
    for (const auto& op : start.ops) add_op(op, true);
  }
  void add(const HistoryTask& task) {
    const auto op = op_number(task.op);
    reach(task.end);
    ++digest_.tasks;
    add_to_op(digest_.ops[op], task);
    const auto projected = static_cast<double>((task.projected_mem - task.resident).count());
    const auto measured = static_cast<double>((task.measured_mem - task.resident).count());
    auto* lane = find_lane(task.worker);
    digest_.bins.spread(task.start, task.end, [&](std::size_t bin, double seconds) {
      digest_.busy[op][bin] += seconds;
      digest_.memory[bin] += {projected * seconds, measured * seconds};
      if (lane != nullptr) lane->cells[bin].add(static_cast<std::int32_t>(op), static_cast<float>(seconds));
    });
    if (lane == nullptr) {
      ++digest_.tasks_without_lane;
    } else {
      ++lane->tasks;
      lane->busy += task.end - task.start;
    }
    add_detail(op, lane, task);
  }
  void add(const HistoryState& state) {
    reach(state.time);
    digest_.states[digest_.bins.bin(state.time)] += StateCell{state, true};
    digest_.peak_held = std::max(digest_.peak_held, state.held);
  }
  void add(const HistoryNotice& notice) {
    reach(notice.time);
    if (digest_.notices.size() < RunDigest::kNoticeLimit)
      digest_.notices.push_back(notice);
    else
      ++digest_.notices_left_out;
  }
  void add(const HistoryFinish& finish) {
    if (digest_.finish) reader_.damaged("the run has finished before");
    std::int64_t planned = 0;
    for (const auto& op : digest_.ops) planned += op.planned ? op.tasks : 0;
    if (planned != finish.tasks)
      reader_.damaged(fmt::format("the run had {} tasks, the lines above tell of {}", finish.tasks, planned));
    digest_.finish = finish;
    digest_.peak_held = finish.peak_held;
    for (std::size_t i = 0; i < digest_.start.ops.size() && i < finish.widths.size(); ++i)
      digest_.ops[i].width = finish.widths[i];
    reach(finish.wall_seconds);
  }
  void add(const HistoryUnknown&) {}

  RunDigest take() {
    digest_.cut = reader_.cut();
    if (digest_.tasks > static_cast<std::int64_t>(RunDigest::kDetailLimit)) digest_.details.clear();
    std::sort(digest_.lanes.begin(), digest_.lanes.end(),
              [](const Lane& a, const Lane& b) { return a.worker < b.worker; });
    for (std::size_t i = 0; i < digest_.lanes.size(); ++i) lane_of_worker_[digest_.lanes[i].worker] = i;
    for (auto& detail : digest_.details)
      if (detail.lane >= 0) detail.lane = static_cast<std::int32_t>(lane_of_worker_.at(detail.task.worker));
    return std::move(digest_);
  }

 private:
  /// Makes the bins cover `time`.
  void reach(double time) {
    digest_.end = std::max(digest_.end, time);
    while (!digest_.bins.reaches(time)) {
      digest_.bins.widen();
      for (auto& row : digest_.busy) fold(row);
      fold(digest_.memory);
      fold(digest_.states);
      for (auto& lane : digest_.lanes) fold(lane.cells);
    }
  }

  std::size_t add_op(const HistoryOp& op, bool planned) {
    const auto number = digest_.ops.size();
    if (!numbers_.emplace(op.name, number).second)
      reader_.damaged(fmt::format("the plan has two ops named '{}'", op.name));
    auto& row = digest_.ops.emplace_back();
    row.plan = op;
    row.planned = planned;
    digest_.busy.emplace_back(TimeBins::kCount);
    return number;
  }

  std::size_t op_number(const std::string& name) {
    const auto found = numbers_.find(name);
    if (found != numbers_.end()) return found->second;
    if (digest_.ops.size() >= digest_.start.ops.size() + kUnplannedLimit)
      reader_.damaged(fmt::format("the plan has no op '{}'", name));
    HistoryOp op;
    op.name = name;
    return add_op(op, false);
  }

  static void add_to_op(OpDigest& op, const HistoryTask& task) {
    op.first_start = op.tasks == 0 ? task.start : std::min(op.first_start, task.start);
    ++op.tasks;
    op.last_end = std::max(op.last_end, task.end);
    op.projected = std::max(op.projected, task.projected_mem);
    op.measured = std::max(op.measured, task.measured_mem);
    op.busy += task.end - task.start;
    op.cpu += task.cpu;
    op.read += task.read;
    op.written += task.written;
    op.minor_faults += task.minor_faults;
  }

  /// The lane of a worker; none for those past the limit.
  Lane* find_lane(std::int64_t worker) {
    const auto found = lane_of_worker_.find(worker);
    if (found != lane_of_worker_.end()) return &digest_.lanes[found->second];
    if (digest_.lanes.size() == RunDigest::kLaneLimit) return nullptr;
    lane_of_worker_[worker] = digest_.lanes.size();
    digest_.lanes.emplace_back().worker = worker;
    return &digest_.lanes.back();
  }

  void add_detail(std::size_t op, const Lane* lane, const HistoryTask& task) {
    if (digest_.details.size() == RunDigest::kDetailLimit) return;
    digest_.details.push_back({static_cast<std::int32_t>(op), lane == nullptr ? -1 : 0, task});
    digest_.details.back().task.op.clear();
  }

  const HistoryReader& reader_;
  RunDigest digest_;
  std::unordered_map<std::string, std::size_t> numbers_;
  std::unordered_map<std::int64_t, std::size_t> lane_of_worker_;
};

}  // namespace

void LaneCell::add(std::int32_t op, float seconds) {
  busy += seconds;
  auto* least = &parts[0];
  for (auto& part : parts) {
    if (part.op == op || part.op < 0) {
      part.op = op;
      part.seconds += seconds;
      return;
    }
    if (part.seconds < least->seconds) least = &part;
  }
  if (seconds > least->seconds) *least = {op, seconds};
}

LaneCell& LaneCell::operator+=(const LaneCell& other) {
  const float sum = busy + other.busy;
  for (const auto& part : other.parts)
    if (part.op >= 0) add(part.op, part.seconds);
  busy = sum;
  return *this;
}

std::int32_t LaneCell::main_op() const {
  return std::max_element(parts.begin(), parts.end(), [](auto a, auto b) { return a.seconds < b.seconds; })->op;
}

StateCell& StateCell::operator+=(const StateCell& other) {
  if (other.filled && (!filled || other.state.held > state.held)) *this = other;
  return *this;
}

RunDigest digest_history(const std::string& path) {
  HistoryReader reader(path);
  Digester digester(reader);
  while (const auto event = reader.next()) std::visit([&](const auto& detail) { digester.add(detail); }, *event);
  return digester.take();
}

}  // namespace brim::runtime
