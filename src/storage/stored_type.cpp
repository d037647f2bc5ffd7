#include "storage/stored_type.h"

#include <fmt/format.h>

#include <array>
#include <bit>

#include "core/check.h"

namespace brim::storage {
namespace {

constexpr char kOtherOrder = std::endian::native == std::endian::little ? '>' : '<';
constexpr std::array kKinds = {StoredKind::kBool, StoredKind::kSigned, StoredKind::kUnsigned, StoredKind::kFloat};
constexpr std::array kSizes = {1, 2, 4, 8};

std::string_view kind_name(StoredKind kind) {
  switch (kind) {
    case StoredKind::kBool:
      return "bool";
    case StoredKind::kSigned:
      return "int";
    case StoredKind::kUnsigned:
      return "uint";
    case StoredKind::kFloat:
      return "float";
  }
  return {};
}

char kind_letter(StoredKind kind) {
  if (kind == StoredKind::kSigned) return 'i';
  return kind == StoredKind::kUnsigned ? 'u' : 'f';
}

}  // namespace

std::string to_string(StoredType type) {
  if (type.kind == StoredKind::kBool) return "bool";
  if (type.swapped) return fmt::format("{}{}{}", kOtherOrder, kind_letter(type.kind), type.size);
  return fmt::format("{}{}", kind_name(type.kind), type.size * 8);
}

std::optional<StoredType> find_stored_type(std::string_view name) {
  for (const auto kind : kKinds)
    for (const int size : kSizes)
      for (const bool swapped : {false, true})
        if (const StoredType type{kind, size, swapped}; to_string(type) == name) return type;
  return std::nullopt;
}

DType natural_dtype(StoredType type) {
  if (type == StoredType{StoredKind::kFloat, 2, type.swapped}) return DType::kFloat32;
  type.swapped = false;
  const auto dtype = find_dtype(to_string(type));
  check(dtype.has_value(), "a stored type without a dtype");
  return *dtype;
}

StoredType stored_type(DType dtype) {
  const auto type = find_stored_type(to_string(dtype));
  check(type.has_value(), "a dtype that cannot be stored");
  return *type;
}

}  // namespace brim::storage
