#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "brim/chunk_grid.h"
#include "brim/dataset.h"
#include "core/archive.h"
#include "core/scratch.h"
#include "storage/journal.h"

namespace brim::storage {

/// A data set to be written.
struct OutputDataset {
  DatasetAddress address;
  DType dtype = DType::kFloat64;
  ChunkGrid grid;                            ///< shape and storage chunks
  int deflate_level = 0;                     ///< 0: not compressed; 1 - 9: deflate, with shuffle
  std::vector<std::string> dimension_names;  ///< one per axis or empty
  /// Attributes of this data set and of the groups above it are copied; those that describe packing (_FillValue,
  /// missing_value, scale_factor, add_offset) are not.
  std::optional<DatasetAddress> attributes_from;
};

/// Where and how workers write one data set's chunks: a plain value that the archive carries.
struct OutputTarget {
  OutputDataset dataset;
  std::string partial_file;   ///< the unfinished HDF5 file beside the output file
  std::string existing_file;  ///< the output file as it was when the run began; empty when there was none
  /// Compressed chunks do not know their place in advance. Each worker writes them to a slot of its own in this sparse,
  /// already unlinked staging file ("/proc/PID/fd/N" of the coordinator); empty when chunks are written in place.
  std::string staging_file;
  std::int64_t slot_bytes = 0;  ///< distance of two slots in the staging file

  void put(ArchiveWriter& archive) const;
  static OutputTarget get(ArchiveReader& archive);
};

/// Upper bound of what Writer::write takes from its Scratch beyond the caller's data.
Bytes write_scratch(const OutputDataset& dataset);
/// Upper bound of what the HDF5 library itself allocates while a Writer lives, beyond the scratch.
Bytes library_memory(const OutputDataset& dataset);

/// The coordinator's side: all output files of one run, whole or absent (D9). Construction takes a lock on each
/// file's partial file, makes it (with the other data sets of an existing output file in it) and lays the data sets
/// out. Touches no array data. Destruction without commit() removes everything it made.
class OutputFiles {
 public:
  /// Throws StorageError: two outputs of one name, directory missing or not writable, another run writes the same file,
  /// existing file not HDF5, name taken by a group, disk full.
  /// Staging files go to `staging_folder`, or beside the outputs when it is empty.
  /// With an identity, unfinished files survive whatever ends the run before commit(), and a run of the same identity
  /// goes on with them; all outputs go to one file then.
  explicit OutputFiles(const std::vector<OutputDataset>& datasets, const std::string& staging_folder = {},
                       const std::optional<RunIdentity>& resumable = {});
  ~OutputFiles();
  OutputFiles(OutputFiles&&) noexcept;
  OutputFiles& operator=(OutputFiles&&) noexcept;

  /// One per data set, in the order given.
  const std::vector<OutputTarget>& targets() const;
  /// How many files need assemble() to run (in a worker) before commit().
  std::size_t assembly_count() const;
  /// The targets of assembly number `index`.
  std::vector<OutputTarget> assembly(std::size_t index) const;
  /// What earlier runs have finished.
  std::vector<FinishedTask> finished() const;
  /// Remembers that this task's chunks are in the file, for a run that goes on with it. Only with an identity.
  void note_finished(FinishedTask task);
  /// Renames every partial file to its name. All chunks are written and all assemblies done.
  void commit();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// A worker's side: writes regions of one data set. Writing the same region twice leaves the same file, so any task may
/// run again. Not thread safe.
class Writer {
 public:
  explicit Writer(const OutputTarget& target);
  ~Writer();
  Writer(Writer&&) noexcept;
  Writer& operator=(Writer&&) noexcept;

  /// `data` is C-contiguous with the region's shape. For a staged (compressed) target the region starts and ends at
  /// storage chunk borders. Returns the bytes given to the file. Throws StorageError (disk full, ...).
  Bytes write(const Box& region, std::span<const std::byte> data, Scratch& scratch);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// Upper bound of the scratch that assemble() takes for these data sets, library memory included.
Bytes assemble_scratch(const std::vector<OutputDataset>& datasets);
/// Moves the chunks of one output file from its staging files into the partial HDF5 file. Starts from nothing every
/// time it is called, so it may run again after its worker died. Returns the bytes moved.
Bytes assemble(const std::vector<OutputTarget>& targets, Scratch& scratch);

}  // namespace brim::storage
