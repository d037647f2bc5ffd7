#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "storage/source.h"

namespace brim::storage {

/// An open file descriptor with its name, for errors that say which file. Closes itself.
class File {
 public:
  enum class Access { kRead, kWrite };

  /// Throws StorageError: not found (with near names of the directory), no permission, a directory, ...
  static File open(const std::string& name, Access access);
  /// Likewise; errors call it `shown_as`.
  static File open(const std::string& name, Access access, std::string shown_as);
  /// Takes over a descriptor; `name` is what errors call it.
  static File adopt(int descriptor, std::string name);

  File(File&& other) noexcept;
  File& operator=(File&& other) noexcept;
  ~File();

  /// Fills `destination` from that place. Throws StorageError when the file ends before.
  void read(std::int64_t offset, std::span<std::byte> destination) const;
  /// Writes all of `source` to that place. Throws StorageError: disk full, file size limit, ...
  void write(std::int64_t offset, std::span<const std::byte> source) const;
  FileStamp stamp() const;
  int descriptor() const { return descriptor_; }
  const std::string& name() const { return name_; }

 private:
  File(int descriptor, std::string name) : descriptor_(descriptor), name_(std::move(name)) {}
  int descriptor_ = -1;
  std::string name_;
};

/// "cannot ACTION NAME: the reason" for the value of errno, with what to do about it.
[[noreturn]] void throw_system_error(const std::string& action, const std::string& name, int error);

}  // namespace brim::storage
