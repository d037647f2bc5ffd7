#pragma once

#include "storage/hdf5/call.h"
#include "storage/output.h"

namespace brim::storage::hdf5 {

/// Copies the attributes of a data set's source, and of the groups above it, to the data set and the groups above it in
/// `file`. Attributes that are there already stay; those that describe packing, or are references into the source's
/// file, are left out.
void copy_attributes(hid_t file, const OutputDataset& dataset);

/// Names the axes of a data set as HDF5's dimension labels; no names, no labels.
void set_dimension_names(hid_t file, const OutputDataset& dataset);

}  // namespace brim::storage::hdf5
