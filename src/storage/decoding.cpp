#include "storage/decoding.h"

#include <algorithm>
#include <cmath>

#include "core/check.h"

namespace brim::storage {

Decoding choose_decoding(StoredType type, const PackingAttributes& attributes) {
  Decoding decoding;
  if (type.kind == StoredKind::kBool) return decoding;
  if (attributes.is_unsigned && type.kind != StoredKind::kFloat)
    decoding.flip_sign = *attributes.is_unsigned != (type.kind == StoredKind::kUnsigned);
  const auto meant = reinterpreted(type, decoding);
  for (double value : attributes.missing) {
    // A fill value of an integer type that was flipped is stored with the sign of the file.
    if (decoding.flip_sign && type.size < 8) {
      const double span = std::ldexp(1.0, 8 * type.size);
      if (meant.kind == StoredKind::kUnsigned && value < 0) value += span;
      if (meant.kind == StoredKind::kSigned && value >= span / 2) value -= span;
    }
    const bool no_news = std::isnan(value);  // NaN is missing already, and integers hold none
    const auto known = std::find(decoding.missing.begin(), decoding.missing.end(), value);
    if (!no_news && known == decoding.missing.end()) decoding.missing.push_back(value);
  }
  decoding.scale = attributes.scale_factor.value_or(1.0);
  decoding.offset = attributes.add_offset.value_or(0.0);
  decoding.has_offset = attributes.add_offset.has_value();
  const bool packed = attributes.scale_factor || attributes.add_offset;
  const bool integers = type.kind != StoredKind::kFloat;
  const bool changes = !decoding.missing.empty() || decoding.scale != 1.0 || decoding.offset != 0.0;
  decoding.active = changes || (integers && (packed || !attributes.missing.empty()));
  return decoding;
}

StoredType reinterpreted(StoredType type, const Decoding& decoding) {
  if (decoding.flip_sign) type.kind = type.kind == StoredKind::kUnsigned ? StoredKind::kSigned : StoredKind::kUnsigned;
  return type;
}

DType decoded_dtype(StoredType type, const Decoding& decoding) {
  if (!decoding.active || type.kind == StoredKind::kFloat) return natural_dtype(reinterpreted(type, decoding));
  return type.size <= 2 && !decoding.has_offset ? DType::kFloat32 : DType::kFloat64;
}

}  // namespace brim::storage
