#pragma once

#include <optional>
#include <string>
#include <vector>

// The compiled form of toml++ is in the distribution's library.
#define TOML_HEADER_ONLY 0
#include <toml++/toml.h>

#include "brim/shape.h"
#include "lang/source_text.h"

namespace brim::lang {

/// Reads typed values out of a TOML document and refuses with file, line and column what is not as it should be.
class TomlReader {
 public:
  /// Parses the file. Throws UsageError for syntax errors, StorageError when it cannot be read.
  explicit TomlReader(const std::string& file);

  const toml::table& root() const { return root_; }
  /// "FILE:LINE:COLUMN: what" with the value underlined.
  std::string placed(const toml::node& node, const std::string& what) const;
  [[noreturn]] void refuse(const toml::node& node, const std::string& what, const std::string& hint = {}) const;
  /// The same with the key underlined: where the name is what is wrong.
  [[noreturn]] void refuse(const toml::key& key, const std::string& what, const std::string& hint = {}) const;

  /// The table under `key`; nothing where there is none.
  const toml::table* find_table(const toml::table& table, const std::string& key) const;
  /// Refuses every key that is not in `known`.
  void require_known_keys(const toml::table& table, const std::vector<std::string>& known,
                          const std::string& where) const;

  const std::string& require_string(const toml::node& node, const std::string& what) const;
  std::int64_t require_integer(const toml::node& node, const std::string& what) const;
  bool require_bool(const toml::node& node, const std::string& what) const;
  Shape require_shape(const toml::node& node, const std::string& what) const;

  /// A string value as a source of its own, whose errors point into the file.
  SourceText source_of(const toml::node& string) const;

 private:
  std::string placed(const toml::source_region& region, const std::string& what) const;

  std::string file_;
  std::string text_;
  toml::table root_;
};

}  // namespace brim::lang
