#pragma once

#include <optional>
#include <vector>

#include "storage/source.h"
#include "storage/stored_type.h"

namespace brim::storage {

/// The attributes of a data set that tell how its values are packed, as the CF conventions have them.
struct PackingAttributes {
  std::vector<double> missing;  ///< _FillValue and every missing_value
  std::optional<double> scale_factor;
  std::optional<double> add_offset;
  std::optional<bool> is_unsigned;  ///< _Unsigned: the integers are meant as unsigned (or signed) ones
};

/// What to do with values of that type, as xarray's decode_cf does.
Decoding choose_decoding(StoredType type, const PackingAttributes& attributes);

/// The stored type with the meaning that the decoding gives to its bits.
StoredType reinterpreted(StoredType type, const Decoding& decoding);

/// The dtype of the decoded values.
DType decoded_dtype(StoredType type, const Decoding& decoding);

/// Turns `count` stored elements into values.
using Convert = void (*)(const std::byte* stored, std::byte* values, std::int64_t count, const Decoding& decoding);

/// The conversion for that type, or nothing when stored elements are values as they are.
Convert find_convert(StoredType type, const Decoding& decoding);

}  // namespace brim::storage
