#include "storage/partial_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <memory>
#include <utility>

#include "brim/error.h"
#include "storage/journal.h"

namespace brim::storage {
namespace {

namespace fs = std::filesystem;

bool same_file(const struct stat& a, const struct stat& b) { return a.st_dev == b.st_dev && a.st_ino == b.st_ino; }

void require_directory(const std::string& output) {
  const auto directory = fs::path(output).parent_path().string();
  struct stat status {};
  const bool found = stat(directory.c_str(), &status) == 0;
  if (!found && errno == EACCES) throw_system_error("write", output, EACCES);
  if (!found || !S_ISDIR(status.st_mode))
    throw StorageError(fmt::format("cannot write {}: there is no directory {}", output, directory),
                       "make it first: mkdir -p " + directory);
}

/// Opens and locks the partial file; nothing when it was renamed or removed in between.
std::optional<File> try_lock(const std::string& name, const std::string& output) {
  const int descriptor = open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (descriptor < 0) throw_system_error("write", output, errno);
  File file = File::adopt(descriptor, name);
  // Some network file systems have no locks; a second run is not noticed there.
  if (flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    throw StorageError(fmt::format("another brim run is writing {}", output), "wait for it, or name another output");
  struct stat ours {};
  struct stat named {};
  const bool unchanged = fstat(descriptor, &ours) == 0 && stat(name.c_str(), &named) == 0 && same_file(ours, named);
  return unchanged ? std::optional(std::move(file)) : std::nullopt;
}

void take_over_rights(const File& file, const std::string& output) {
  struct stat status {};
  if (stat(output.c_str(), &status) != 0) return;
  // Only root may give files away; for all others the owner is the same or changes, as with any new file.
  [[maybe_unused]] const int owner = fchown(file.descriptor(), status.st_uid, status.st_gid);
  if (fchmod(file.descriptor(), status.st_mode & 07777) != 0) throw_system_error("set the mode of", file.name(), errno);
}

}  // namespace

std::string resolve_output(const std::string& file) {
  constexpr int kMostLinks = 40;
  fs::path path = fs::absolute(file);
  std::error_code ignored;
  for (int links = 0; fs::is_symlink(path, ignored); ++links) {
    if (links == kMostLinks) throw_system_error("write", file, ELOOP);
    const auto target = fs::read_symlink(path, ignored);
    path = target.is_absolute() ? target : path.parent_path() / target;
  }
  // What cannot be looked at, cannot be written either; that is said when it is tried.
  const auto canonical = fs::weakly_canonical(path, ignored);
  return (ignored ? path : canonical).string();
}

void copy_file(const File& from, const File& to) {
  if (ioctl(to.descriptor(), FICLONE, from.descriptor()) == 0) return;
  const auto size = from.stamp().size;
  loff_t in = 0;
  loff_t out = 0;
  while (in < size) {
    const auto count =
        copy_file_range(from.descriptor(), &in, to.descriptor(), &out, static_cast<std::size_t>(size - in), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
  }
  // Some file systems do not copy by themselves.
  constexpr std::int64_t kPiece = 1 << 20;
  const auto buffer = std::make_unique<std::byte[]>(kPiece);
  for (std::int64_t done = in; done < size; done += kPiece) {
    const std::span piece(buffer.get(), static_cast<std::size_t>(std::min(kPiece, size - done)));
    from.read(done, piece);
    to.write(done, piece);
  }
}

PartialFile::PartialFile(std::string output) : output_(std::move(output)) {
  require_directory(output_);
  const auto path = fs::path(output_);
  struct stat status {};
  if (stat(output_.c_str(), &status) == 0) {
    if (!S_ISREG(status.st_mode))
      throw StorageError(fmt::format("cannot write {}: it is no regular file", output_), "name another output file");
    existing_ = File::open(output_, File::Access::kWrite).stamp();
  }
  const auto name = (path.parent_path() / fmt::format(".{}.brim-partial", path.filename().string())).string();
  while (!file_) file_ = try_lock(name, output_);
}

void PartialFile::empty() const {
  unlink(Journal::path(output_).c_str());
  if (ftruncate(file_->descriptor(), 0) != 0) throw_system_error("empty", file_->name(), errno);
  if (replaces()) take_over_rights(*file_, output_);
}

PartialFile::PartialFile(PartialFile&& other) noexcept
    : output_(std::move(other.output_)),
      existing_(other.existing_),
      file_(std::exchange(other.file_, std::nullopt)),
      keep_(other.keep_) {}

PartialFile::~PartialFile() {
  if (file_ && !keep_) unlink(file_->name().c_str());
}

std::uint64_t PartialFile::mark() const {
  const auto before = existing_.value_or(FileStamp{});
  std::uint64_t mark = file_->stamp().inode;
  constexpr std::uint64_t kPrime = 0x100000001B3U;
  for (const auto number :
       {static_cast<std::uint64_t>(before.size), static_cast<std::uint64_t>(before.modified_nanoseconds), before.inode})
    mark = mark * kPrime ^ number;
  return mark;
}

void PartialFile::reserve() const {
  struct stat status {};
  struct statfs system {};
  if (fstat(file_->descriptor(), &status) != 0) throw_system_error("look at", file_->name(), errno);
  require_room(output_, status.st_size, static_cast<std::int64_t>(status.st_blocks) * 512);
  // In a file system that lives in memory this would fill the pages one by one.
  if (fstatfs(file_->descriptor(), &system) == 0 && system.f_type == TMPFS_MAGIC) return;
  if (status.st_size == 0 || fallocate(file_->descriptor(), 0, 0, status.st_size) == 0) return;
  if (errno == ENOSPC || errno == EDQUOT || errno == EFBIG)
    throw_system_error(fmt::format("get {} for", to_string(Bytes(status.st_size))), output_, errno);
}

void PartialFile::commit() {
  struct stat status {};
  const bool exists = stat(output_.c_str(), &status) == 0;
  if (exists != replaces() || (exists && File::open(output_, File::Access::kRead).stamp() != *existing_))
    throw StorageError(fmt::format("{} was changed by another program during the run", output_),
                       "its changes would be lost: run again, or name another output");
  unlink(Journal::path(output_).c_str());
  if (rename(file_->name().c_str(), output_.c_str()) != 0) throw_system_error("finish", output_, errno);
  file_.reset();  // HDF5 programs that read the output now would trip over the lock
}

void require_room(const std::string& file, std::int64_t size, std::int64_t present) {
  struct rlimit limit {};
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
      static_cast<rlim_t>(size) > limit.rlim_cur)
    throw StorageError(fmt::format("{} needs {}, files may have {} here", file, to_string(Bytes(size)),
                                   to_string(Bytes(static_cast<std::int64_t>(limit.rlim_cur)))),
                       "raise the limit: ulimit -f");
  struct statvfs system {};
  if (statvfs(fs::path(file).parent_path().c_str(), &system) != 0) return;
  const auto free = static_cast<std::int64_t>(system.f_bavail * system.f_frsize);
  if (size - present > free)
    throw StorageError(fmt::format("{} needs {}, its disk has {} free", file, to_string(Bytes(size - present)),
                                   to_string(Bytes(free))),
                       "make room, or write to another disk");
}

File nameless_file(const std::string& output) {
  const auto directory = fs::path(output).parent_path().string();
  const auto name = "the staging file of " + output;
  int descriptor = open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (descriptor >= 0) return File::adopt(descriptor, name);
  // Network file systems know no nameless files.
  std::string path = output + ".brim-staging-XXXXXX";
  descriptor = mkostemp(path.data(), O_CLOEXEC);
  if (descriptor < 0) throw_system_error("make", name, errno);
  unlink(path.c_str());
  return File::adopt(descriptor, name);
}

}  // namespace brim::storage
