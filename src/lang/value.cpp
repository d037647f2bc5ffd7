#include "lang/value.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

#include "brim/error.h"
#include "core/near_names.h"

namespace brim::lang {
namespace {

[[noreturn]] void refuse_kind(const Value& value, std::string_view wanted, const char* hint = "") {
  throw UsageError(fmt::format("{} where {} is needed", kind_of(value), wanted), hint);
}

}  // namespace

std::string_view kind_of(const Value& value) {
  static constexpr std::array<std::string_view, 7> kNames = {
      "nothing", "a truth value", "a whole number", "a floating number", "a string", "a tuple", "an array"};
  return kNames[value.held.index()];
}

bool is_number(const Value& value) {
  return std::holds_alternative<bool>(value.held) || std::holds_alternative<std::int64_t>(value.held) ||
         std::holds_alternative<double>(value.held);
}

Operand require_operand(const Value& value) {
  if (const auto* held = std::get_if<Array>(&value.held)) return *held;
  if (const auto* held = std::get_if<bool>(&value.held)) return *held;
  if (const auto* held = std::get_if<std::int64_t>(&value.held)) return *held;
  if (const auto* held = std::get_if<double>(&value.held)) return *held;
  refuse_kind(value, "an array or a number");
}

Array require_array(const Value& value) {
  if (const auto* held = std::get_if<Array>(&value.held)) return *held;
  if (const auto* held = std::get_if<bool>(&value.held)) return full({}, *held);
  if (const auto* held = std::get_if<std::int64_t>(&value.held)) return full({}, *held);
  if (const auto* held = std::get_if<double>(&value.held)) return full({}, *held);
  refuse_kind(value, "an array");
}

std::int64_t require_integer(const Value& value) {
  if (const auto* held = std::get_if<std::int64_t>(&value.held)) return *held;
  if (std::holds_alternative<double>(value.held))
    refuse_kind(value, "a whole number", "// divides whole numbers to whole numbers");
  refuse_kind(value, "a whole number");
}

double require_number(const Value& value) {
  if (const auto* held = std::get_if<bool>(&value.held)) return *held ? 1 : 0;
  if (const auto* held = std::get_if<std::int64_t>(&value.held)) return static_cast<double>(*held);
  if (const auto* held = std::get_if<double>(&value.held)) return *held;
  refuse_kind(value, "a number");
}

bool require_bool(const Value& value) {
  if (const auto* held = std::get_if<bool>(&value.held)) return *held;
  refuse_kind(value, "true or false");
}

const std::string& require_string(const Value& value) {
  if (const auto* held = std::get_if<std::string>(&value.held)) return *held;
  refuse_kind(value, "a string");
}

std::vector<std::int64_t> require_integers(const Value& value) {
  if (const auto* one = std::get_if<std::int64_t>(&value.held)) return {*one};
  if (std::holds_alternative<double>(value.held)) (void)require_integer(value);
  const auto* tuple = std::get_if<Tuple>(&value.held);
  if (tuple == nullptr) refuse_kind(value, "a whole number or a tuple of them");
  std::vector<std::int64_t> numbers;
  for (const auto& item : *tuple) numbers.push_back(require_integer(item));
  return numbers;
}

std::vector<int> require_axes(const Value& value) {
  std::vector<int> axes;
  for (const auto axis : require_integers(value)) {
    if (axis < -kMaxRank || axis >= kMaxRank)
      throw UsageError(fmt::format("axis {}: arrays have up to {} axes", axis, kMaxRank),
                       "axes count from 0, or from -1 backwards");
    axes.push_back(static_cast<int>(axis));
  }
  return axes;
}

std::vector<Array> require_arrays(const Value& value) {
  const auto* several = std::get_if<Tuple>(&value.held);
  if (several == nullptr) return {require_array(value)};
  std::vector<Array> arrays;
  for (const auto& item : *several) arrays.push_back(require_array(item));
  return arrays;
}

DType require_dtype(const Value& value) {
  const auto& name = require_string(value);
  if (const auto dtype = find_dtype(name)) return *dtype;
  std::vector<std::string> names;
  names.reserve(kAllDTypes.size());
  for (const DType dtype : kAllDTypes) names.emplace_back(to_string(dtype));
  throw UsageError(fmt::format("there is no dtype '{}'", name), did_you_mean(name, names));
}

Bytes require_bytes(const Value& value) {
  if (const auto* count = std::get_if<std::int64_t>(&value.held); count != nullptr && *count >= 0) return Bytes(*count);
  return parse_bytes(require_string(value));
}

std::int64_t require_nanoseconds(const Value& value) {
  double number = 0;
  std::string_view unit = "s";
  if (is_number(value)) {
    number = require_number(value);
  } else {
    const auto& text = require_string(value);
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (status != std::errc{}) throw UsageError(fmt::format("'{}' is not a time", text), "write 100ms, 2s or 5us");
    unit = std::string_view(text).substr(static_cast<std::size_t>(end - text.data()));
    while (unit.starts_with(' ')) unit.remove_prefix(1);
  }
  static constexpr std::array<std::pair<std::string_view, double>, 6> kUnits = {
      {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"min", 60e9}, {"h", 3600e9}}};
  for (const auto& [name, nanoseconds] : kUnits)
    if (unit == name && number >= 0 && number * nanoseconds < 0x1p62)
      return static_cast<std::int64_t>(std::llround(number * nanoseconds));
  throw UsageError(fmt::format("'{}{}' is not a time", number, unit), "write 100ms, 2s or 5us");
}

}  // namespace brim::lang
