#pragma once

#include <filesystem>

#include "brim/bytes.h"

namespace brim::tool {

/// A new folder, removed with all that is in it when this goes.
class TemporaryFolder {
 public:
  /// Throws StorageError where none can be made in `parent`, or where less than `needed` is free there.
  TemporaryFolder(const std::filesystem::path& parent, Bytes needed);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace brim::tool
