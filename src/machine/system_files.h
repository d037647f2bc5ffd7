#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace brim::machine {

/// The kernel's files as text. A root other than "" reads a copied tree: tests, and questions about other machines.
struct SystemFiles {
  std::string root;

  /// The whole file; nothing where it does not exist or cannot be read.
  std::optional<std::string> find_text(const std::string& path) const;
  /// A file that holds one number; nothing for anything else ("max").
  std::optional<std::int64_t> find_number(const std::string& path) const;
  /// The number behind `key` in a file of lines "key number" or "key: number kB" (as it stands, without the unit).
  std::optional<std::int64_t> find_field(const std::string& path, const std::string& key) const;
  bool has_directory(const std::string& path) const;
};

}  // namespace brim::machine
