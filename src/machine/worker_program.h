#pragma once

#include <string>
#include <vector>

namespace brim::machine {

/// Where the worker program may be, best first, for an executable and a brim library at these paths.
std::vector<std::string> worker_program_places(const std::string& executable, const std::string& library);

}  // namespace brim::machine
