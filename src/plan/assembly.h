#pragma once

#include <vector>

#include "brim/bytes.h"
#include "storage/output.h"

namespace brim::planning {

/// What the last step of compressed output files holds, one file at a time; 0 when no file is compressed.
Bytes assembly_need(const std::vector<storage::OutputDataset>& datasets);

}  // namespace brim::planning
