#include "runtime/own_file.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "brim/error.h"

namespace brim::runtime {

void require_own_file(const std::string& path, std::string_view beginning, const std::string& what) {
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(path, unknown)) return;
  std::ifstream stream(path, std::ios::binary);
  std::string found(beginning.size(), '\0');
  stream.read(found.data(), static_cast<std::streamsize>(found.size()));
  found.resize(static_cast<std::size_t>(stream.gcount()));
  if (found.empty() || found == beginning) return;
  throw StorageError(fmt::format("{} exists and is no {}: it would be lost", path, what),
                     "name another file, or remove this one first");
}

}  // namespace brim::runtime
