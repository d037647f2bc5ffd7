#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "brim/plan.h"
#include "core/function.h"
#include "core/table.h"
#include "plan/physical_plan.h"
#include "plan/threads.h"

// What a plan tells people and programs.
namespace brim {
namespace {

std::vector<std::string> fused_functions(const ops::PhysicalOp& op) {
  std::vector<std::string> names;
  if (const auto* traversal = std::get_if<ops::Traversal>(&op.detail))
    for (const auto& instruction : traversal->program.instructions)
      names.emplace_back(facts(instruction.function).name);
  for (const auto& output : op.outputs)
    if (output.reduce) {
      static constexpr std::array kNames = {"sum", "mean", "min", "max"};
      names.emplace_back(kNames[static_cast<std::size_t>(output.reduce->reduction)]);
    }
  return names;
}

/// Ragged edges make tasks differ; the sum over all tasks is that of the whole region where chunks do not overlap.
Bytes total_over_tasks(const ops::PhysicalOp& op, const ops::OpModel& model, bool written) {
  constexpr std::int64_t kCountExactly = 100'000;
  const auto tasks = op.task_count();
  Bytes sum;
  for (std::int64_t i = 0; i < std::min(tasks, kCountExactly); ++i)
    sum += written ? model.task_written(i) : model.task_read(i);
  if (tasks <= kCountExactly) return sum;
  return Bytes(
      static_cast<std::int64_t>(static_cast<double>(sum.count()) / kCountExactly * static_cast<double>(tasks)));
}

OpSummary summary(const PhysicalPlan& plan, std::size_t number) {
  const auto& op = plan.ops[number];
  const auto& model = plan.models[number];
  const auto memory = model.largest();
  OpSummary row;
  row.name = op.name;
  row.kind = op.kind();
  row.tasks = op.task_count();
  row.projected_mem = memory.projected();
  row.breakdown = {memory.inputs, memory.codec, memory.temporaries, memory.outputs, memory.resident};
  row.width = planning::width(plan, number);
  row.threads = op.threads;
  row.read = total_over_tasks(op, model, false);
  row.written = total_over_tasks(op, model, true);
  if (op.spill && row.tasks > 0) row.spilled = ops::block_size(op.block(), 0) * row.tasks;
  row.fused = fused_functions(op);
  for (const auto producer : ops::producers(op)) row.after.push_back(plan.ops[static_cast<std::size_t>(producer)].name);
  return row;
}

std::string joined(const std::vector<std::string>& names, std::size_t limit) {
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < limit; ++i) text += (i == 0 ? "" : " ") + names[i];
  if (names.size() > limit) text += fmt::format(" ... ({} in all)", names.size());
  return text;
}

}  // namespace

std::vector<OpSummary> Plan::ops() const {
  std::vector<OpSummary> rows;
  for (std::size_t i = 0; i < physical_->ops.size(); ++i) rows.push_back(summary(*physical_, i));
  return rows;
}

std::int64_t Plan::total_tasks() const {
  std::int64_t tasks = 0;
  for (const auto& op : physical_->ops) tasks += op.task_count();
  return tasks;
}

Bytes Plan::total_read() const {
  Bytes sum;
  for (const auto& op : ops()) sum += op.read;
  return sum;
}

Bytes Plan::total_written() const {
  Bytes sum;
  for (const auto& op : ops()) sum += op.written;
  return sum;
}

Bytes Plan::total_spilled() const {
  Bytes sum;
  for (const auto& op : ops()) sum += op.spilled;
  return sum;
}

Bytes Plan::budget() const { return physical_->budget; }
Bytes Plan::minimum_budget() const { return physical_->minimum_budget; }
Bytes Plan::resident_peak() const { return physical_->resident_peak; }
Bytes Plan::worker_mem() const { return physical_->worker_mem; }
Bytes Plan::coordinator_mem() const { return physical_->coordinator_mem; }
std::int64_t Plan::max_workers() const { return physical_->max_workers; }

std::string Plan::explain() const {
  const auto rows = ops();
  std::vector<std::vector<std::string>> table = {{"op", "kind", "tasks", "width", "threads", "projected_mem",
                                                  "= inputs", "+ codec", "+ temporaries", "+ outputs", "+ resident",
                                                  "read", "written"}};
  for (const auto& row : rows)
    table.push_back({row.name, row.kind, std::to_string(row.tasks), std::to_string(row.width),
                     std::to_string(row.threads), to_string(row.projected_mem), to_string(row.breakdown.inputs),
                     to_string(row.breakdown.codec), to_string(row.breakdown.temporaries),
                     to_string(row.breakdown.outputs), to_string(row.breakdown.resident), to_string(row.read),
                     to_string(row.written)});
  auto text = aligned_table(table);
  for (const auto& row : rows)
    if (row.spilled > Bytes(0))
      text += fmt::format("  {} spills {} to the scratch file: the budget has no room for all its chunks\n", row.name,
                          to_string(row.spilled));
  for (const auto& row : rows)
    if (!row.fused.empty()) text += fmt::format("  {} fuses: {}\n", row.name, joined(row.fused, 16));
  text +=
      fmt::format("{} tasks, read {}, write {}\n", total_tasks(), to_string(total_read()), to_string(total_written()));
  text += fmt::format("budget {}: coordinator {}, each worker {}; resident chunks at most {} in sequential order\n",
                      to_string(budget()), to_string(coordinator_mem()), to_string(worker_mem()),
                      to_string(resident_peak()));
  text += fmt::format("minimum budget {} ({} bytes)\n", to_string(minimum_budget()), minimum_budget().count());
  return text;
}

std::string Plan::to_json() const {
  nlohmann::json json;
  json["budget"] = budget().count();
  json["minimum_budget"] = minimum_budget().count();
  json["coordinator_mem"] = coordinator_mem().count();
  json["worker_mem"] = worker_mem().count();
  json["reserved_mem"] = physical_->machine.reserved_mem.count();
  json["resident_peak"] = resident_peak().count();
  json["max_workers"] = max_workers();
  json["total_tasks"] = total_tasks();
  json["total_read"] = total_read().count();
  json["total_written"] = total_written().count();
  json["total_spilled"] = total_spilled().count();
  json["ops"] = nlohmann::json::array();
  for (const auto& row : ops())
    json["ops"].push_back({{"name", row.name},
                           {"kind", row.kind},
                           {"tasks", row.tasks},
                           {"projected_mem", row.projected_mem.count()},
                           {"breakdown",
                            {{"inputs", row.breakdown.inputs.count()},
                             {"codec", row.breakdown.codec.count()},
                             {"temporaries", row.breakdown.temporaries.count()},
                             {"outputs", row.breakdown.outputs.count()},
                             {"resident", row.breakdown.resident.count()}}},
                           {"width", row.width},
                           {"threads", row.threads},
                           {"read", row.read.count()},
                           {"written", row.written.count()},
                           {"spilled", row.spilled.count()},
                           {"fused", row.fused},
                           {"after", row.after}});
  return json.dump(2);
}

}  // namespace brim
