#pragma once

#include <optional>
#include <string>

#include "brim/dtype.h"
#include "storage/hdf5/call.h"
#include "storage/stored_type.h"

namespace brim::storage::hdf5 {

/// An element type of a file as brim reads it.
struct ElementType {
  StoredType type;
  /// The bits in the file are those of `type`; otherwise HDF5 converts to it (odd precisions, foreign floats).
  bool plain = true;
};

/// The element type, or nothing for one that brim cannot compute with.
std::optional<ElementType> find_element_type(hid_t type);
/// What people call a type that brim cannot compute with: "string", "compound (r, i)".
std::string describe_type(hid_t type);
/// The HDF5 type of such elements in this machine's memory; for half floats that of float32.
hid_t native_type(StoredType type);
/// The type that a data set of that dtype is created with: native order, bool as h5py has it (an enum of 0 and 1).
Handle file_type(DType dtype);

}  // namespace brim::storage::hdf5
