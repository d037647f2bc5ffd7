#pragma once

#include <string>
#include <vector>

#include "storage/file.h"
#include "storage/output.h"

namespace brim::storage::hdf5 {

/// When a data set gets its room in the file.
enum class Room {
  kAhead,     ///< at once: chunks have their places and are written there
  kAsNeeded,  ///< chunk by chunk, as compressed ones are written
};

/// Makes `partial` an HDF5 file with those data sets, empty, and all that `existing` holds beside them (nothing when
/// the name is empty); with the attributes of their sources. Starts anew whatever the file held. Throws StorageError:
/// `existing` not HDF5, a name taken by a group, a data set where a group should be, chunks too large for HDF5.
void lay_out(const File& partial, const std::string& existing, const std::vector<OutputDataset>& datasets, Room room);

/// True when the data set lies in one stretch: HDF5 has no chunks for 0-d data sets.
bool is_contiguous(const OutputDataset& dataset);
/// True when its chunks are compressed; one stretch never is.
bool is_compressed(const OutputDataset& dataset);

}  // namespace brim::storage::hdf5
