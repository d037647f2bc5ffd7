#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace brim {

/// The data types of the Python array API that brim computes with. The values are stable: they cross process
/// boundaries and stand in history files.
enum class DType : std::uint8_t {
  kBool,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kUInt8,
  kUInt16,
  kUInt32,
  kUInt64,
  kFloat32,
  kFloat64,
};

inline constexpr std::array kAllDTypes = {DType::kBool,   DType::kInt8,    DType::kInt16,  DType::kInt32,
                                          DType::kInt64,  DType::kUInt8,   DType::kUInt16, DType::kUInt32,
                                          DType::kUInt64, DType::kFloat32, DType::kFloat64};

/// Bytes of one element.
std::int64_t item_size(DType dtype);

/// "bool", "int8", ..., "float64": the names of the array API.
std::string_view to_string(DType dtype);

/// The dtype of that name, or nothing.
std::optional<DType> find_dtype(std::string_view name);

/// The kinds of the array API: every dtype is exactly one of bool, signed, unsigned, floating.
bool is_bool(DType dtype);
bool is_signed_integer(DType dtype);
bool is_unsigned_integer(DType dtype);
/// Signed or unsigned; bool is not an integer.
bool is_integer(DType dtype);
bool is_floating(DType dtype);
/// Integer or floating.
bool is_numeric(DType dtype);

/// The common dtype of two arrays by the promotion table of the array API 2023.12, and NumPy's answer where the
/// standard leaves it open (int with float: float64 unless the integer fits float32 exactly, that is 8 or 16 bits;
/// uint64 with a signed integer: float64; bool with anything: the other).
DType promote(DType a, DType b);

}  // namespace brim
