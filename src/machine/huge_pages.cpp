#include "machine/huge_pages.h"

namespace brim::machine {
namespace {

/// The word in brackets: "always [madvise] never".
std::string find_setting(const SystemFiles& files, const std::string& path) {
  const auto text = files.find_text(path).value_or("");
  const auto open = text.find('[');
  const auto close = text.find(']', open == std::string::npos ? 0 : open);
  if (open == std::string::npos || close == std::string::npos) return "";
  return text.substr(open + 1, close - open - 1);
}

}  // namespace

HugePages huge_pages(const SystemFiles& files) {
  const std::string folder = "/sys/kernel/mm/transparent_hugepage/";
  HugePages pages;
  pages.private_memory = find_setting(files, folder + "enabled");
  pages.shared_memory = find_setting(files, folder + "shmem_enabled");
  // Nothing to say of shared memory: fallocate, which chunks need, takes small pages whatever the setting is, and
  // mapping them in bulk costs 0.3 s/GiB where huge pages would cost 0.2 (measured on a virtual machine, as the figure
  // below).
  if (pages.private_memory == "never")
    pages.advice =
        "huge pages are off; first touches of task memory would take less than half the time with: "
        "echo madvise > " +
        folder + "enabled (as root)";
  return pages;
}

}  // namespace brim::machine
