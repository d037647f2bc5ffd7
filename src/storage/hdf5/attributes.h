#pragma once

#include <optional>
#include <string>
#include <vector>

#include "storage/decoding.h"
#include "storage/hdf5/call.h"

namespace brim::storage::hdf5 {

/// The numbers of a numeric attribute; nothing when there is none of that name or it is not numeric.
std::optional<std::vector<double>> find_numbers(hid_t object, const std::string& name);
/// The strings of a string attribute (one or an array), likewise.
std::optional<std::vector<std::string>> find_strings(hid_t object, const std::string& name);

/// _FillValue, missing_value, scale_factor, add_offset and _Unsigned of a data set.
PackingAttributes packing_attributes(hid_t dataset);
/// True for the names of those attributes.
bool is_packing_attribute(const std::string& name);

/// For every axis the path of the first dimension scale attached to it; empty where there is none.
std::vector<std::string> scale_paths(hid_t dataset, std::size_t rank);

/// The names of a data set's axes: of its dimension scales (as netCDF-4 files have them), its labels, or what netCDF
/// left at coordinate variables. One per axis, empty where an axis has none; no entries when no axis has one.
std::vector<std::string> dimension_names(hid_t dataset, std::size_t rank);

}  // namespace brim::storage::hdf5
