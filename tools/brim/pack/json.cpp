#include <algorithm>
#include <nlohmann/json.hpp>

#include "pack/output.h"

namespace brim::tool {
namespace {

nlohmann::json row_of(const PackResult& result, const PackCell& cell) {
  const auto makespan = cell.median_seconds();
  return {{"name", result.workload.letter + " " + result.workload.name},
          {"contender", cell.pool.name},
          {"seconds", makespan},
          {"ratio", makespan / result.cells.front().median_seconds()},
          {"round_seconds", cell.seconds},
          {"stand_in", result.workload.synthetic},
          {"tasks", result.tasks},
          {"budget", result.budget.count()},
          {"bound_seconds", result.bound.seconds()},
          {"bound", result.bound.binding()},
          {"simulated_seconds", cell.simulated_seconds},
          {"memory_bound", cell.memory_bound},
          {"memory_bound_used", cell.memory_bound_used},
          {"overshoot", std::max(cell.overshoot, Bytes(0)).count()},
          {"measured_over_projected", cell.measured_over_projected},
          {"retries", cell.retries},
          {"resizes", cell.resizes},
          {"resize_seconds", cell.resize_seconds},
          {"faults_per_task", cell.faults_per_task}};
}

}  // namespace

std::string to_json(const std::vector<PackResult>& results, const Machine& machine) {
  nlohmann::json json{{"benchmark", "pack"},
                      {"cores", machine.cores},
                      {"refused", nlohmann::json::array()},
                      {"rows", nlohmann::json::array()}};
  for (const auto& result : results)
    for (const auto& cell : result.cells)
      if (cell.refusal.empty())
        json["rows"].push_back(row_of(result, cell));
      else
        json["refused"].push_back({{"name", result.workload.letter + " " + result.workload.name},
                                   {"contender", cell.pool.name},
                                   {"reason", cell.refusal}});
  return json.dump(2) + "\n";
}

}  // namespace brim::tool
