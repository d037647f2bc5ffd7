#pragma once

#include "storage/hdf5/call.h"
#include "storage/output.h"

namespace brim::storage::hdf5 {

/// Larger dimension scales are not copied.
inline constexpr std::int64_t kMostScaleBytes = 1 << 20;

/// Gives an output the dimension scales of its source, so that readers of netCDF-4 see its coordinates: copies the
/// source's scales beside the output, or uses those that are there, and attaches them. Does nothing and returns false
/// unless every axis has a small 1-d scale of its length in the source and its name is free, or taken by a scale of
/// that length.
bool attach_scales(hid_t file, const OutputDataset& dataset);

}  // namespace brim::storage::hdf5
