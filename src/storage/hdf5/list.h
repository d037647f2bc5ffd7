#pragma once

#include <string>
#include <vector>

#include "brim/dataset.h"
#include "storage/decoding.h"
#include "storage/hdf5/dataset.h"

namespace brim::storage::hdf5 {

/// What the public description says of an open data set whose values are decoded like that.
DatasetInfo describe(const StoredDataset& dataset, const DatasetAddress& address, const Decoding& decoding);

/// Every data set of a file, groups walked in name order; data sets that brim cannot compute with are among them.
std::vector<DatasetInfo> list_file(const std::string& file);

}  // namespace brim::storage::hdf5
