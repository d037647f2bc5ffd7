#pragma once

#include <optional>
#include <string>
#include <vector>

#include "brim/bytes.h"
#include "brim/dtype.h"
#include "brim/shape.h"

namespace brim {

/// "FILE:/PATH", the address of a data set inside a file.
struct DatasetAddress {
  std::string file;
  std::string path;  ///< absolute, "/group/name"

  friend bool operator==(const DatasetAddress&, const DatasetAddress&) = default;
};

/// Splits "era5.h5:/t2" at the last ":/". Throws UsageError with an example when there is none.
DatasetAddress parse_address(const std::string& text);
std::string to_string(const DatasetAddress& address);

/// What a data set is, read from its file's metadata only.
struct DatasetInfo {
  DatasetAddress address;
  Shape shape;
  DType dtype = DType::kFloat64;             ///< as brim sees it, decoded
  std::string stored_dtype;                  ///< as it lies in the file: "int16", ">f4", "float16"
  std::optional<Shape> chunk_shape;          ///< storage chunks; nothing for contiguous and compact layouts
  std::string layout;                        ///< "contiguous", "chunked", "compact"
  std::vector<std::string> filters;          ///< in order: "shuffle", "deflate 4", "fletcher32"
  Bytes stored_size;                         ///< bytes it takes in the file
  bool decoded = false;                      ///< _FillValue, missing_value, scale_factor or add_offset are applied
  std::vector<std::string> dimension_names;  ///< one per axis, empty where the file names none
};

/// Every data set of an HDF5 file, groups walked in name order. Throws StorageError.
std::vector<DatasetInfo> list_datasets(const std::string& file);

}  // namespace brim
