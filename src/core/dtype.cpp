#include "brim/dtype.h"

#include <algorithm>

#include "core/check.h"

namespace brim {
namespace {

struct DTypeFacts {
  std::string_view name;
  std::int64_t size;
  char kind;  // 'b' bool, 'i' signed, 'u' unsigned, 'f' floating
};

constexpr std::array<DTypeFacts, kAllDTypes.size()> kFacts = {{
    {"bool", 1, 'b'},
    {"int8", 1, 'i'},
    {"int16", 2, 'i'},
    {"int32", 4, 'i'},
    {"int64", 8, 'i'},
    {"uint8", 1, 'u'},
    {"uint16", 2, 'u'},
    {"uint32", 4, 'u'},
    {"uint64", 8, 'u'},
    {"float32", 4, 'f'},
    {"float64", 8, 'f'},
}};

const DTypeFacts& facts(DType dtype) {
  const auto index = static_cast<std::size_t>(dtype);
  check(index < kFacts.size(), "a dtype out of range");
  return kFacts[index];
}

DType signed_of_size(std::int64_t size) {
  switch (size) {
    case 1:
      return DType::kInt8;
    case 2:
      return DType::kInt16;
    case 4:
      return DType::kInt32;
    default:
      return DType::kInt64;
  }
}

}  // namespace

std::int64_t item_size(DType dtype) { return facts(dtype).size; }
std::string_view to_string(DType dtype) { return facts(dtype).name; }

std::optional<DType> find_dtype(std::string_view name) {
  for (const DType dtype : kAllDTypes)
    if (facts(dtype).name == name) return dtype;
  return std::nullopt;
}

bool is_bool(DType dtype) { return facts(dtype).kind == 'b'; }
bool is_signed_integer(DType dtype) { return facts(dtype).kind == 'i'; }
bool is_unsigned_integer(DType dtype) { return facts(dtype).kind == 'u'; }
bool is_integer(DType dtype) { return is_signed_integer(dtype) || is_unsigned_integer(dtype); }
bool is_floating(DType dtype) { return facts(dtype).kind == 'f'; }
bool is_numeric(DType dtype) { return !is_bool(dtype); }

DType promote(DType a, DType b) {
  if (a == b || is_bool(b)) return a;
  if (is_bool(a)) return b;
  const auto size_a = item_size(a);
  const auto size_b = item_size(b);
  if (facts(a).kind == facts(b).kind) return size_a > size_b ? a : b;
  if (is_floating(a) || is_floating(b)) {
    const DType floating = is_floating(a) ? a : b;
    const DType integer = is_floating(a) ? b : a;
    return item_size(integer) <= 2 ? floating : DType::kFloat64;
  }
  const auto size_unsigned = is_unsigned_integer(a) ? size_a : size_b;
  const auto size_signed = is_unsigned_integer(a) ? size_b : size_a;
  if (size_unsigned == 8) return DType::kFloat64;
  return signed_of_size(std::max(size_signed, 2 * size_unsigned));
}

}  // namespace brim
