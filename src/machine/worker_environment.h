#pragma once

#include <string>
#include <utility>
#include <vector>

namespace brim::machine {

/// What every worker process has in its environment, beside what it inherits. glibc reads these before main().
std::vector<std::pair<std::string, std::string>> worker_environment();

}  // namespace brim::machine
