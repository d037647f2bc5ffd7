#include "lang/toml_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "brim/error.h"
#include "core/near_names.h"

namespace brim::lang {
namespace {

std::string read_text(const std::string& file) {
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  std::stringstream text;
  if (stream) text << stream.rdbuf();
  // A folder opens, but cannot be read; an empty file can.
  if (!stream.is_open() || (text.str().empty() && errno != 0))
    throw StorageError(fmt::format("cannot read the workload file {}: {}", file, std::strerror(errno)));
  return text.str();
}

/// Where line and column (from 1, in letters of UTF-8) stand in a text.
std::size_t offset_of(const std::string& text, toml::source_position place) {
  std::size_t at = 0;
  for (toml::source_index line = 1; line < place.line; ++line) {
    const auto end = text.find('\n', at);
    if (end == std::string::npos) break;
    at = end + 1;
  }
  const auto continues = [](char byte) { return (static_cast<unsigned char>(byte) & 0xc0U) == 0x80U; };
  for (toml::source_index column = 1; column < place.column && at < text.size(); ++column) do
      ++at;
    while (at < text.size() && continues(text[at]));
  return at;
}

}  // namespace

TomlReader::TomlReader(const std::string& file) : file_(file), text_(read_text(file)) {
  try {
    root_ = toml::parse(text_, file);
  } catch (const toml::parse_error& error) {
    lang::refuse({text_, file_, 1, 1}, {offset_of(text_, error.source().begin), 1}, std::string(error.description()),
                 "a workload file is TOML: name = \"value\" lines under [inputs], [compute], [outputs] and [run]");
  }
}

std::string TomlReader::placed(const toml::node& node, const std::string& what) const {
  return placed(node.source(), what);
}

std::string TomlReader::placed(const toml::source_region& region, const std::string& what) const {
  const auto start = offset_of(text_, region.begin);
  const auto end = offset_of(text_, region.end);
  return lang::placed({text_, file_, 1, 1}, {start, end > start ? end - start : 1}, what);
}

void TomlReader::refuse(const toml::node& node, const std::string& what, const std::string& hint) const {
  throw UsageError(placed(node, what), hint);
}

void TomlReader::refuse(const toml::key& key, const std::string& what, const std::string& hint) const {
  throw UsageError(placed(key.source(), what), hint);
}

const toml::table* TomlReader::find_table(const toml::table& table, const std::string& key) const {
  const auto* node = table.get(key);
  if (node == nullptr) return nullptr;
  if (!node->is_table())
    refuse(*node, fmt::format("'{}' must be a table", key), fmt::format("write [{}] on a line of its own", key));
  return node->as_table();
}

void TomlReader::require_known_keys(const toml::table& table, const std::vector<std::string>& known,
                                    const std::string& where) const {
  for (const auto& [key, node] : table) {
    const std::string name(key.str());
    if (std::find(known.begin(), known.end(), name) == known.end())
      refuse(key, fmt::format("unknown key '{}' in {}", name, where), did_you_mean(name, known));
  }
}

const std::string& TomlReader::require_string(const toml::node& node, const std::string& what) const {
  const auto* value = node.as_string();
  if (value == nullptr) refuse(node, fmt::format("{} must be a string", what), "put it in quotes");
  return value->get();
}

std::int64_t TomlReader::require_integer(const toml::node& node, const std::string& what) const {
  const auto* value = node.as_integer();
  if (value == nullptr) refuse(node, fmt::format("{} must be a whole number", what));
  return value->get();
}

bool TomlReader::require_bool(const toml::node& node, const std::string& what) const {
  const auto* value = node.as_boolean();
  if (value == nullptr) refuse(node, fmt::format("{} must be true or false", what));
  return value->get();
}

Shape TomlReader::require_shape(const toml::node& node, const std::string& what) const {
  const auto* array = node.as_array();
  if (array == nullptr)
    refuse(node, fmt::format("{} must be a list of whole numbers", what), "for example [12, 90, 180]");
  Shape shape;
  for (const auto& item : *array) {
    shape.push_back(require_integer(item, what));
    if (shape.back() < 1) refuse(item, fmt::format("{} must be 1 or more", what));
  }
  return shape;
}

SourceText TomlReader::source_of(const toml::node& string) const {
  const auto& begin = string.source().begin;
  const auto start = offset_of(text_, begin);
  SourceText source;
  source.text = string.as_string()->get();
  source.name = file_;
  source.line = static_cast<int>(begin.line);
  // Past the opening quotes; a new line right behind three of them is not part of the value.
  const bool triple = text_.compare(start, 3, R"(""")") == 0 || text_.compare(start, 3, "'''") == 0;
  const auto quotes = triple ? 3 : 1;
  if (triple && (text_.compare(start + 3, 1, "\n") == 0 || text_.compare(start + 3, 2, "\r\n") == 0)) {
    source.line += 1;
    source.column = 1;
  } else {
    source.column = static_cast<int>(begin.column) + quotes;
  }
  return source;
}

}  // namespace brim::lang
