#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "storage/file.h"

namespace brim::storage {

/// Where an output really goes: absolute, symbolic links followed, also one that leads to a file that does not exist
/// yet.
std::string resolve_output(const std::string& file);

/// Fills `to` with the bytes of `from`; shares them where the file system can.
void copy_file(const File& from, const File& to);

/// The unfinished file beside an output file, ".NAME.brim-partial". A lock on it, held while this object lives, keeps a
/// second run away; the system drops the lock when the run dies, and the next run takes the left-over file.
/// Not made durable against power loss: what counts is that no reader ever sees half a file.
class PartialFile {
 public:
  /// `output` as resolve_output() gives it. Starts with what an earlier run left; see empty(). Throws StorageError:
  /// directory missing or not writable, output not a regular file, another run writes it.
  explicit PartialFile(std::string output);
  ~PartialFile();
  PartialFile(PartialFile&& other) noexcept;
  PartialFile& operator=(PartialFile&&) = delete;

  const std::string& output() const { return output_; }
  const File& file() const { return *file_; }
  /// True when the output file exists already.
  bool replaces() const { return existing_.has_value(); }
  /// Asks for the room that the file needs as it is now, so that a full disk is an error before the run and not in its
  /// middle.
  void reserve() const;
  /// Starts anew; the journal of an earlier run is void.
  void empty() const;
  /// Differs for another unfinished file, and when the output is not the same as before.
  std::uint64_t mark() const;
  /// A run that does not come to its end leaves it for the next one.
  void keep() { keep_ = true; }
  /// Renames it to the output. Throws StorageError when the output was changed since.
  void commit();

 private:
  std::string output_;
  std::optional<FileStamp> existing_;
  std::optional<File> file_;
  bool keep_ = false;
};

/// Throws StorageError when the file system of that directory, or this process's limit of file sizes, has no room for a
/// file of `size` bytes of which `present` are there.
void require_room(const std::string& file, std::int64_t size, std::int64_t present);

/// A file without a name, in the folder of `output`, gone with its last descriptor.
File nameless_file(const std::string& output);

}  // namespace brim::storage
