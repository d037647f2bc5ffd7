#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "pack/output.h"

namespace brim::tool {
namespace {

constexpr std::string_view kHead = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>brim bench pack</title><style>
body { font: 14px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem; color: #1d2733; }
h2 { margin: 2rem 0 0; font-size: 1.1rem; } .about { color: #5b6875; margin: 0 0 .5rem; }
table { border-collapse: collapse; width: 100%; } th, td { padding: .2rem .5rem; text-align: right; white-space: nowrap; }
th { color: #5b6875; font-weight: 500; border-bottom: 1px solid #cfd6dd; } th:first-child, td:first-child { text-align: left; }
td.bar { width: 30%; text-align: left; } td.bar div { height: .9rem; background: #9fb3c8; position: relative; }
tr.adaptive td.bar div { background: #1f7a8c; } td.bar i { position: absolute; top: -2px; bottom: -2px; width: 2px; background: #c8553d; }
td.refusal { text-align: left; color: #8a3b2a; white-space: normal; }
</style></head><body>
)";

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c);
  return out;
}

std::string row_of(const PackResult& result, const PackCell& cell, double longest) {
  if (!cell.refusal.empty())
    return fmt::format("<tr><td>{}<td class=refusal colspan=10>cannot: {}\n", escaped(cell.pool.name),
                       escaped(cell.refusal));
  const auto makespan = cell.median_seconds();
  return fmt::format(
      "<tr{}><td>{}<td class=bar><div style=\"width:{:.1f}%\"><i style=\"left:{:.1f}%\"></i></div>"
      "<td>{:.2f} s<td>{:.2f}<td>{:.2f}<td>{:.2f}<td>{:.0f}%<td>{}<td>{:.2f}<td>{}<td>{}\n",
      cell.pool.name == "adaptive" ? " class=adaptive" : "", escaped(cell.pool.name), 100 * makespan / longest,
      100 * std::min(1.0, result.bound.seconds() / makespan), makespan,
      makespan / result.cells.front().median_seconds(), makespan / result.bound.seconds(),
      makespan / cell.simulated_seconds, 100 * cell.memory_bound_used, to_string(std::max(cell.overshoot, Bytes(0))),
      cell.measured_over_projected, cell.retries, cell.resizes);
}

std::string section_of(const PackResult& result) {
  double longest = 0;
  for (const auto& cell : result.cells)
    if (cell.refusal.empty()) longest = std::max(longest, cell.median_seconds());
  auto html = fmt::format(
      "<h2>({}) {}</h2><p class=about>{}{} tasks, budget {}, lower bound {:.2f} s ({})</p><table>"
      "<tr><th>pool<th><th>makespan<th>/ adaptive<th>/ bound<th>/ simulated<th>full<th>overshoot<th>measured<th>retries"
      "<th>resizes\n",
      result.workload.letter, escaped(result.workload.name),
      result.workload.synthetic ? "stand-in tasks without data, " : "", result.tasks, to_string(result.budget),
      result.bound.seconds(), result.bound.binding());
  for (const auto& cell : result.cells) html += row_of(result, cell, longest);
  return html + "</table>\n";
}

}  // namespace

std::string to_html(const std::vector<PackResult>& results, const Machine& machine) {
  std::string html(kHead);
  html += fmt::format(
      "<h1>brim bench pack</h1><p>{} cores, {:%Y-%m-%d}. The same work in the adaptive pool and in fixed pools, in one "
      "budget. Bars are median makespans; the red line is the least time that any schedule could take. Full: share of "
      "the budget that tasks held while one waited for memory. Measured: memory of the task that came nearest to its "
      "projection, in parts of it.</p>\n",
      machine.cores, fmt::gmtime(std::time(nullptr)));
  for (const auto& result : results) html += section_of(result);
  return html + "</body></html>\n";
}

}  // namespace brim::tool
