#include "pack/temporary_folder.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "brim/error.h"

namespace brim::tool {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder(const fs::path& parent, Bytes needed) {
  auto name = (parent / "brim-bench-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr)
    throw StorageError(fmt::format("cannot make a folder in {}: {}", parent.string(), std::strerror(errno)),
                       "name another with --folder");
  path_ = name;
  std::error_code unknown;
  const auto space = fs::space(path_, unknown);
  if (unknown || space.available >= static_cast<std::uintmax_t>(needed.count())) return;
  fs::remove_all(path_, unknown);
  throw StorageError(fmt::format("{} has {} free, the benchmark writes {}", parent.string(),
                                 to_string(Bytes(static_cast<std::int64_t>(space.available))), to_string(needed)),
                     "name another with --folder, or lower --task-memory");
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace brim::tool
