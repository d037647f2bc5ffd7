#include <fmt/format.h>

#include "brim/executor.h"
#include "core/table.h"

namespace brim {
namespace {

double seconds(std::chrono::nanoseconds time) { return std::chrono::duration<double>(time).count(); }

std::string share(Bytes part, Bytes whole) {
  if (whole.count() == 0) return "-";
  return fmt::format("{:.2f}", static_cast<double>(part.count()) / static_cast<double>(whole.count()));
}

}  // namespace

std::string Report::summary() const {
  std::vector<std::vector<std::string>> rows = {
      {"op", "tasks", "width", "seen", "projected", "measured", "ratio", "task time", "wall", "read", "written"}};
  Bytes read;
  Bytes written;
  for (const auto& op : ops) {
    rows.push_back({op.name, std::to_string(op.tasks), std::to_string(op.width_planned),
                    std::to_string(op.width_observed), to_string(op.projected_mem), to_string(op.measured_mem),
                    share(op.measured_mem, op.projected_mem), fmt::format("{:.2f} s", seconds(op.busy)),
                    fmt::format("{:.2f} s", seconds(op.last_end - op.first_start)), to_string(op.read),
                    to_string(op.written)});
    read += op.read;
    written += op.written;
  }
  auto text = aligned_table(rows);
  text +=
      fmt::format("{} tasks in {:.2f} s; read {}, wrote {}; memory {} at most of {}, {:.0f}% of budget x time in use\n",
                  tasks, seconds(wall), to_string(read), to_string(written), to_string(peak_held), to_string(budget),
                  100 * memory_time_used);
  if (memory_bound > std::chrono::nanoseconds(0) && wall > std::chrono::nanoseconds(0))
    text += fmt::format("memory was the bottleneck for {:.0f}% of the time, and {:.0f}% of it in use then\n",
                        100 * seconds(memory_bound) / seconds(wall), 100 * memory_bound_used);
  if (workers_lost > 0 || retries > 0)
    text += fmt::format("{} workers were lost, {} tasks were run again\n", workers_lost, retries);
  return text;
}

}  // namespace brim
