#include "machine/system_files.h"

#include <sys/stat.h>

#include <charconv>
#include <fstream>
#include <iterator>
#include <sstream>

namespace brim::machine {
namespace {

std::optional<std::int64_t> find_leading_number(const std::string& text) {
  const auto start = text.find_first_not_of(" \t");
  if (start == std::string::npos) return std::nullopt;
  std::int64_t number = 0;
  const auto [end, status] = std::from_chars(text.data() + start, text.data() + text.size(), number);
  // Some kernels write "no limit" as a number past 2^63.
  if (status == std::errc::result_out_of_range) return INT64_MAX;
  if (status != std::errc{}) return std::nullopt;
  return number;
}

}  // namespace

std::optional<std::string> SystemFiles::find_text(const std::string& path) const {
  std::ifstream file(root + path, std::ios::binary);
  if (!file) return std::nullopt;
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (file.bad()) return std::nullopt;
  return text;
}

std::optional<std::int64_t> SystemFiles::find_number(const std::string& path) const {
  const auto text = find_text(path);
  return text ? find_leading_number(*text) : std::nullopt;
}

std::optional<std::int64_t> SystemFiles::find_field(const std::string& path, const std::string& key) const {
  const auto text = find_text(path);
  if (!text) return std::nullopt;
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) {
    if (line.compare(0, key.size(), key) != 0) continue;
    auto rest = line.substr(key.size());
    if (!rest.empty() && rest.front() == ':') rest.erase(0, 1);
    if (rest.empty() || (rest.front() != ' ' && rest.front() != '\t')) continue;
    return find_leading_number(rest);
  }
  return std::nullopt;
}

bool SystemFiles::has_directory(const std::string& path) const {
  struct stat status {};
  return stat((root + path).c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

}  // namespace brim::machine
