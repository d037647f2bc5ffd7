#include "storage/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "brim/error.h"
#include "core/near_names.h"

namespace brim::storage {
namespace {

std::string hint_for(int error, const std::string& name) {
  switch (error) {
    case EACCES:
    case EPERM:
      return fmt::format("see who may use it: ls -l {}", name);
    case EROFS:
      return "the file system is mounted read-only: choose another place";
    case ENOSPC:
    case EDQUOT:
      return "the disk is full (or its quota is used up): make room or choose another place";
    case EFBIG:
      return "files may not grow that large here: see ulimit -f, and the limits of the file system";
    case EMFILE:
    case ENFILE:
      return "too many files are open: raise ulimit -n";
    case EIO:
      return "the disk or the way to it fails: see the system's log (dmesg), and try a copy on another disk";
    default:
      return {};
  }
}

[[noreturn]] void throw_not_found(const std::string& name) {
  const auto path = std::filesystem::path(name);
  const auto directory = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  std::error_code ignored;
  if (!std::filesystem::is_directory(directory, ignored))
    throw StorageError(fmt::format("{}: no such file, and no directory {}", name, directory.string()),
                       "look at the path: it is taken from the current directory unless it starts with /");
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory, ignored))
    names.push_back(entry.path().filename().string());
  throw StorageError(fmt::format("{}: no such file", name), did_you_mean(path.filename().string(), names));
}

}  // namespace

void throw_system_error(const std::string& action, const std::string& name, int error) {
  throw StorageError(fmt::format("cannot {} {}: {}", action, name, std::strerror(error)), hint_for(error, name));
}

File File::open(const std::string& name, Access access) {
  const int flags = (access == Access::kRead ? O_RDONLY : O_RDWR) | O_CLOEXEC;
  const int descriptor = ::open(name.c_str(), flags);
  if (descriptor < 0 && (errno == ENOENT || errno == ENOTDIR)) throw_not_found(name);
  if (descriptor < 0) throw_system_error(access == Access::kRead ? "read" : "write", name, errno);
  File file(descriptor, name);
  struct stat status {};
  if (fstat(descriptor, &status) != 0) throw_system_error("look at", name, errno);
  if (S_ISDIR(status.st_mode))
    throw StorageError(fmt::format("{} is a directory", name), "name an HDF5 file inside it");
  return file;
}

File File::open(const std::string& name, Access access, std::string shown_as) {
  File file = open(name, access);
  file.name_ = std::move(shown_as);
  return file;
}

File File::adopt(int descriptor, std::string name) { return {descriptor, std::move(name)}; }

File::File(File&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)), name_(std::move(other.name_)) {}

File& File::operator=(File&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(name_, other.name_);
  return *this;
}

File::~File() {
  if (descriptor_ >= 0) close(descriptor_);
}

void File::read(std::int64_t offset, std::span<std::byte> destination) const {
  while (!destination.empty()) {
    const auto count = pread(descriptor_, destination.data(), destination.size(), offset);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw_system_error("read", name_, errno);
    if (count == 0)
      throw StorageError(fmt::format("{} is truncated: it ends before byte {}", name_,
                                     offset + static_cast<std::int64_t>(destination.size())),
                         "it was cut off while being copied or written: get it again");
    offset += count;
    destination = destination.subspan(static_cast<std::size_t>(count));
  }
}

void File::write(std::int64_t offset, std::span<const std::byte> source) const {
  while (!source.empty()) {
    const auto count = pwrite(descriptor_, source.data(), source.size(), offset);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0)
      throw_system_error(fmt::format("write {} at byte {} of", to_string(Bytes(std::ssize(source))), offset), name_,
                         errno);
    offset += count;
    source = source.subspan(static_cast<std::size_t>(count));
  }
}

FileStamp File::stamp() const {
  struct stat status {};
  if (fstat(descriptor_, &status) != 0) throw_system_error("look at", name_, errno);
  constexpr std::int64_t kNanoseconds = 1'000'000'000;
  return {status.st_size, status.st_mtim.tv_sec * kNanoseconds + status.st_mtim.tv_nsec,
          static_cast<std::uint64_t>(status.st_ino)};
}

}  // namespace brim::storage
