#include "storage/hdf5/datatype.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <memory>
#include <vector>

#include "core/check.h"

namespace brim::storage::hdf5 {
namespace {

constexpr H5T_order_t kNativeOrder = std::endian::native == std::endian::little ? H5T_ORDER_LE : H5T_ORDER_BE;
constexpr H5T_order_t kOtherOrder = std::endian::native == std::endian::little ? H5T_ORDER_BE : H5T_ORDER_LE;

std::string member_name(hid_t type, unsigned index) {
  const std::unique_ptr<char, herr_t (*)(void*)> name(H5Tget_member_name(type, index), H5free_memory);
  return name ? name.get() : "?";
}

bool equal_types(hid_t a, hid_t b) { return call("compare data types", H5Tequal, a, b) > 0; }

bool is_truth_enum(hid_t type) {
  if (H5Tget_size(type) != 1 || H5Tget_nmembers(type) != 2) return false;
  const auto value_of = [type](const char* name) {
    const QuietErrors quiet;
    std::int8_t value = -1;
    return H5Tenum_valueof(type, name, &value) < 0 ? std::int8_t{-1} : value;
  };
  return value_of("FALSE") == 0 && value_of("TRUE") == 1;
}

ElementType integer_type(hid_t type, bool is_signed) {
  const auto size = static_cast<int>(H5Tget_size(type));
  const auto order = H5Tget_order(type);
  ElementType element;
  int rounded = 1;
  while (rounded < size) rounded *= 2;
  element.type = {is_signed ? StoredKind::kSigned : StoredKind::kUnsigned, rounded, size > 1 && order == kOtherOrder};
  element.plain = rounded == size && H5Tget_precision(type) == 8 * H5Tget_size(type) &&
                  (size == 1 || order == kNativeOrder || order == kOtherOrder);
  if (!element.plain) element.type.swapped = false;
  return element;
}

/// IEEE half precision, which HDF5 1.10 has no name for.
Handle half_type(hid_t like) {
  Handle half = open("make a data type", H5Tclose, H5Tcopy, like);
  const std::string action = "describe half precision";
  call(action, H5Tset_fields, half.id(), size_t{15}, size_t{10}, size_t{5}, size_t{0}, size_t{10});
  call(action, H5Tset_size, half.id(), size_t{2});
  call(action, H5Tset_ebias, half.id(), size_t{15});
  return half;
}

std::optional<ElementType> float_type(hid_t type) {
  const auto size = static_cast<int>(H5Tget_size(type));
  if (size > 8) return std::nullopt;
  const bool little_native = kNativeOrder == H5T_ORDER_LE;
  const auto known = [&](hid_t little, hid_t big) -> std::optional<ElementType> {
    if (equal_types(type, little)) return ElementType{{StoredKind::kFloat, size, !little_native}, true};
    if (equal_types(type, big)) return ElementType{{StoredKind::kFloat, size, little_native}, true};
    return std::nullopt;
  };
  std::optional<ElementType> element;
  if (size == 2) {
    const Handle little = half_type(H5T_IEEE_F32LE);
    const Handle big = half_type(H5T_IEEE_F32BE);
    element = known(little.id(), big.id());
  } else if (size == 4) {
    element = known(H5T_IEEE_F32LE, H5T_IEEE_F32BE);
  } else if (size == 8) {
    element = known(H5T_IEEE_F64LE, H5T_IEEE_F64BE);
  }
  return element ? element : ElementType{{StoredKind::kFloat, size <= 4 ? 4 : 8, false}, false};
}

std::string describe_compound(hid_t type) {
  std::vector<std::string> members;
  const int count = H5Tget_nmembers(type);
  for (int i = 0; i < count; ++i) members.push_back(member_name(type, static_cast<unsigned>(i)));
  return fmt::format("compound ({})", fmt::join(members, ", "));
}

}  // namespace

std::optional<ElementType> find_element_type(hid_t type) {
  switch (H5Tget_class(type)) {
    case H5T_INTEGER:
      if (H5Tget_size(type) > 8) return std::nullopt;
      return integer_type(type, H5Tget_sign(type) == H5T_SGN_2);
    case H5T_BITFIELD:
      if (H5Tget_size(type) > 8) return std::nullopt;
      return integer_type(type, false);
    case H5T_FLOAT:
      return float_type(type);
    case H5T_ENUM: {
      if (is_truth_enum(type)) return ElementType{{StoredKind::kBool, 1, false}, true};
      const Handle base = open("read an enum's data type", H5Tclose, H5Tget_super, type);
      auto element = find_element_type(base.id());
      // HDF5 does not convert enums to integers.
      return element && element->plain ? element : std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

std::string describe_type(hid_t type) {
  switch (H5Tget_class(type)) {
    case H5T_STRING:
      return "string";
    case H5T_COMPOUND:
      return describe_compound(type);
    case H5T_REFERENCE:
      return "reference";
    case H5T_VLEN:
      return "variable-length sequence";
    case H5T_ARRAY:
      return "array";
    case H5T_OPAQUE:
      return "opaque";
    case H5T_TIME:
      return "time";
    case H5T_ENUM:
      return "enum";
    case H5T_FLOAT:
      return fmt::format("float{}", 8 * H5Tget_size(type));
    default:
      return fmt::format("integer of {} bytes", H5Tget_size(type));
  }
}

hid_t native_type(StoredType type) {
  const bool is_signed = type.kind == StoredKind::kSigned;
  if (type.kind == StoredKind::kFloat) return type.size == 8 ? H5T_NATIVE_DOUBLE : H5T_NATIVE_FLOAT;
  switch (type.size) {
    case 1:
      return is_signed ? H5T_NATIVE_INT8 : H5T_NATIVE_UINT8;
    case 2:
      return is_signed ? H5T_NATIVE_INT16 : H5T_NATIVE_UINT16;
    case 4:
      return is_signed ? H5T_NATIVE_INT32 : H5T_NATIVE_UINT32;
    default:
      return is_signed ? H5T_NATIVE_INT64 : H5T_NATIVE_UINT64;
  }
}

Handle file_type(DType dtype) {
  if (!is_bool(dtype)) return open("make a data type", H5Tclose, H5Tcopy, native_type(stored_type(dtype)));
  Handle type = open("make a data type", H5Tclose, H5Tenum_create, H5T_NATIVE_INT8);
  for (const auto& [name, value] : {std::pair{"FALSE", std::int8_t{0}}, std::pair{"TRUE", std::int8_t{1}}})
    call("describe bool", H5Tenum_insert, type.id(), name, &value);
  return type;
}

}  // namespace brim::storage::hdf5
