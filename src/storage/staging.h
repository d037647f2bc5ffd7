#pragma once

#include <cstdint>
#include <span>

#include "storage/file.h"
#include "storage/output.h"

namespace brim::storage {

/// The staging file of one data set: slot number i holds chunk number i as it will lie in the output file. A slot's
/// header is written last, so a chunk is whole or absent. Why not append to the HDF5 file itself: a worker that is
/// killed while it has an HDF5 file open for writing leaves a broken file, and one that appends twice leaves a gap.
class Staging {
 public:
  static constexpr std::int64_t kHeaderBytes = 64;

  /// The distance of slots for chunks of at most that many stored bytes.
  static std::int64_t slot_bytes(std::int64_t most_stored);

  explicit Staging(const OutputTarget& target);
  /// Where the bytes of a chunk begin.
  std::int64_t place(std::int64_t chunk) const { return chunk * slot_bytes_ + kHeaderBytes; }
  const File& file() const { return file_; }
  /// Says that the chunk's `size` bytes are there.
  void finish(std::int64_t chunk, std::int64_t size) const;
  /// How many bytes the chunk has. Throws InternalError when it was never finished.
  std::int64_t size(std::int64_t chunk) const;

 private:
  File file_;
  std::int64_t slot_bytes_;
};

}  // namespace brim::storage
