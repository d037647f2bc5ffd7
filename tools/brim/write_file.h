#pragma once

#include <string>
#include <string_view>

namespace brim::tool {

/// Throws StorageError where `path` exists and does not begin as what is to be written there, so that a wrong name
/// costs nobody a file. `what` is for the message: "benchmark's JSON".
void require_replaceable(const std::string& path, std::string_view beginning, const std::string& what);

/// Writes the file whole, or not at all: StorageError.
void write_whole_file(const std::string& path, std::string_view text);

}  // namespace brim::tool
