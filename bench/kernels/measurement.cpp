#include "kernels/measurement.h"

#include <fmt/core.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/table.h"
#include "kernels/program.h"
#include "oracle/numpy_oracle.h"

namespace brim::bench {

void measure(Row& row, int rounds) {
  for (int round = 0; round < rounds; ++round)
    for (auto& contender : row.contenders) {
      const double seconds = contender.seconds();
      contender.best = round == 0 ? seconds : std::min(contender.best, seconds);
    }
}

Row::Contender numpy(std::string expression) {
  const std::string call = fmt::format("seconds(lambda: {}, {})", expression, kRunsPerTurn);
  return {"NumPy", [call] { return oracle::evaluate(call).as<double>()[0]; }};
}

void print_table(const std::vector<Row>& rows) {
  std::vector<std::vector<std::string>> cells = {
      {"what", "brim ns/element", "peer", "ns/element", "brim is times as fast"}};
  for (const Row& row : rows)
    for (std::size_t i = 1; i < row.contenders.size(); ++i) {
      const double own = row.contenders[0].best;
      const auto& peer = row.contenders[i];
      cells.push_back({row.name, fmt::format("{:.3f}", own / row.elements * 1e9), peer.name,
                       fmt::format("{:.3f}", peer.best / row.elements * 1e9), fmt::format("{:.2f}", peer.best / own)});
    }
  fmt::print("instruction set: {}\n{}", kernels::instruction_set(), aligned_table(cells));
}

void write_json(const std::vector<Row>& rows, const std::string& path) {
  nlohmann::json json = {{"benchmark", "kernels"},
                         {"instruction_set", std::string(kernels::instruction_set())},
                         {"rows", nlohmann::json::array()}};
  for (const Row& row : rows)
    for (const auto& contender : row.contenders)
      json["rows"].push_back({{"name", row.name},
                              {"contender", contender.name},
                              {"seconds", contender.best},
                              {"ratio", contender.best / row.contenders[0].best},
                              {"elements", row.elements}});
  std::ofstream(path) << json.dump(2) << "\n";
}

}  // namespace brim::bench
