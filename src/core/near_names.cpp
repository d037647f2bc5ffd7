#include "core/near_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

namespace brim {
namespace {

char lower(char letter) { return static_cast<char>(std::tolower(static_cast<unsigned char>(letter))); }

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const char x = lower(a[i - 1]);
      const char y = lower(b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (x == y ? 0 : 1)});
      if (i > 1 && j > 1 && x == lower(b[j - 2]) && lower(a[i - 2]) == y) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = last;
    last = row;
  }
  return last[b.size()];
}

std::string did_you_mean(std::string_view wanted, const std::vector<std::string>& names) {
  constexpr std::size_t kMostNear = 3;
  constexpr std::size_t kMostListed = 10;
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const auto& name : names) {
    const auto distance = edit_distance(wanted, name);
    if (distance <= std::max<std::size_t>(1, wanted.size() / 3)) near.emplace_back(distance, "'" + name + "'");
  }
  std::sort(near.begin(), near.end());
  if (near.size() > kMostNear) near.resize(kMostNear);
  std::vector<std::string> shown;
  for (const auto& [distance, name] : near) shown.push_back(name);
  if (!shown.empty()) return fmt::format("did you mean {}?", fmt::join(shown, " or "));
  if (names.empty()) return {};
  shown = names;
  std::sort(shown.begin(), shown.end());
  const bool cut = shown.size() > kMostListed;
  if (cut) shown.resize(kMostListed);
  return fmt::format("there is: {}{}", fmt::join(shown, ", "), cut ? ", ..." : "");
}

}  // namespace brim
