#pragma once

#include <string>
#include <string_view>

namespace brim::runtime {

/// Before a file is written anew: one that exists must be empty or begin as what brim writes there, so that a wrong
/// name costs nobody an input. `what` is for the message: "history". Throws StorageError.
void require_own_file(const std::string& path, std::string_view beginning, const std::string& what);

}  // namespace brim::runtime
