#include "write_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "brim/error.h"

namespace brim::tool {

namespace fs = std::filesystem;

void require_replaceable(const std::string& path, std::string_view beginning, const std::string& what) {
  std::error_code unknown;
  if (!fs::is_regular_file(path, unknown)) return;
  std::string found(beginning.size(), '\0');
  std::ifstream stream(path, std::ios::binary);
  stream.read(found.data(), static_cast<std::streamsize>(found.size()));
  if (stream.gcount() == 0 || found == beginning) return;
  throw StorageError(fmt::format("{} exists and is no {}: it would be lost", path, what),
                     "name another file, or remove this one first");
}

void write_whole_file(const std::string& path, std::string_view text) {
  const auto partial = path + ".partial";
  errno = 0;
  std::ofstream stream(partial, std::ios::binary | std::ios::trunc);
  stream << text;
  stream.close();
  std::error_code failure;
  if (stream)
    fs::rename(partial, path, failure);
  else
    failure.assign(errno, std::generic_category());
  if (!failure) return;
  std::error_code ignored;
  fs::remove(partial, ignored);
  throw StorageError(fmt::format("cannot write {}: {}", path, failure.message()), "name another file");
}

}  // namespace brim::tool
