#pragma once

#include <string>
#include <vector>

#include "pack/measure.h"

namespace brim::tool {

/// One workload: a line for every pool.
void print_table(const PackResult& result);
/// What the columns mean.
void print_legend(std::int64_t rounds);
/// The adaptive pool against the best fixed one, over all workloads.
void print_distribution(const std::vector<PackResult>& results);

/// In the schema that all of brim's benchmarks share: {"benchmark": "pack", "rows": [...]}; pools that cannot run a
/// workload are under "refused".
std::string to_json(const std::vector<PackResult>& results, const Machine& machine);

/// One page that needs nothing else.
std::string to_html(const std::vector<PackResult>& results, const Machine& machine);

}  // namespace brim::tool
