#include "machine/cgroup.h"

#include <algorithm>
#include <optional>
#include <sstream>

namespace brim::machine {
namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

bool names(const std::string& list, const std::string& word) {
  const auto words = split(list, ',');
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// A mounted hierarchy: which part of it (root), and where.
struct Mount {
  std::string root;
  std::string point;
};

std::optional<Mount> find_mount(const SystemFiles& files, CgroupVersion version, const std::string& controller) {
  const auto text = files.find_text("/proc/self/mountinfo");
  if (!text) return std::nullopt;
  for (const auto& line : split(*text, '\n')) {
    // id parent device root point options [optional fields] - type source super-options
    const auto fields = split(line, ' ');
    const auto dash = std::find(fields.begin(), fields.end(), "-");
    if (dash - fields.begin() < 6 || fields.end() - dash < 4) continue;
    const bool v2 = dash[1] == "cgroup2";
    const bool v1 = dash[1] == "cgroup" && names(dash[3], controller);
    if (version == CgroupVersion::kV2 ? v2 : v1) return Mount{fields[3], fields[4]};
  }
  return std::nullopt;
}

/// This process's path in the hierarchy, as the kernel names it.
std::optional<std::string> find_path(const SystemFiles& files, CgroupVersion version, const std::string& controller) {
  const auto text = files.find_text("/proc/self/cgroup");
  if (!text) return std::nullopt;
  for (const auto& line : split(*text, '\n')) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const auto controllers = line.substr(first + 1, second - first - 1);
    const bool v2 = controllers.empty() && line.compare(0, first, "0") == 0;
    if (version == CgroupVersion::kV2 ? v2 : names(controllers, controller)) return line.substr(second + 1);
  }
  return std::nullopt;
}

/// The path below the mount point; "" where it is the mount's root or not visible.
std::string visible_path(const SystemFiles& files, const Mount& mount, const std::string& path) {
  const std::string root = mount.root == "/" ? "" : mount.root;
  if (path.compare(0, root.size(), root) != 0) return "";
  auto relative = path.substr(root.size());
  while (!relative.empty() && relative.back() == '/') relative.pop_back();
  const bool plain = relative.empty() || relative.front() == '/';
  const bool inside = relative.find("/..") == std::string::npos;
  return plain && inside && files.has_directory(mount.point + relative) ? relative : "";
}

void add_levels(const SystemFiles& files, CgroupVersion version, const std::string& controller,
                std::vector<CgroupLevel>& levels) {
  const auto mount = find_mount(files, version, controller);
  const auto path = find_path(files, version, controller);
  if (!mount || !path) return;
  auto relative = visible_path(files, *mount, *path);
  for (;;) {
    levels.push_back({version, relative.empty() ? "/" : relative, mount->point + relative});
    if (relative.empty()) return;
    relative.erase(relative.rfind('/'));
  }
}

}  // namespace

std::vector<CgroupLevel> cgroup_levels(const SystemFiles& files, const std::string& controller) {
  std::vector<CgroupLevel> levels;
  add_levels(files, CgroupVersion::kV1, controller, levels);
  add_levels(files, CgroupVersion::kV2, controller, levels);
  return levels;
}

}  // namespace brim::machine
