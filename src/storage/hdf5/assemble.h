#pragma once

#include <vector>

#include "storage/output.h"

namespace brim::storage::hdf5 {

/// What storage::assemble_scratch() and storage::assemble() promise.
Bytes assembly_scratch(const std::vector<OutputDataset>& datasets);
Bytes assemble_file(const std::vector<OutputTarget>& targets, Scratch& scratch);

}  // namespace brim::storage::hdf5
