#include "brim/bytes.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>

#include "brim/error.h"

namespace brim {
namespace {

constexpr std::string_view kPrefixes = "KMGT";

/// Bytes in one unit ("", "B", "kB", "MiB", ...), or nothing for an unknown word.
std::optional<double> find_unit(std::string_view word) {
  std::string unit;
  for (const char c : word) unit += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  if (unit.empty() || unit == "B") return 1.0;
  const auto power = kPrefixes.find(unit.front());
  if (power == std::string_view::npos) return std::nullopt;
  const auto exponent = static_cast<double>(power + 1);
  if (unit.substr(1) == "B") return std::pow(1000.0, exponent);
  if (unit.substr(1) == "IB") return std::pow(1024.0, exponent);
  return std::nullopt;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

[[noreturn]] void refuse(std::string_view text) {
  throw UsageError(fmt::format("'{}' is not an amount of memory", text),
                   "write a number and a unit: 512MiB (2^20 bytes each), 2GB (10^9), 1.5GiB");
}

}  // namespace

Bytes parse_bytes(std::string_view text) {
  const auto body = trimmed(text);
  double number = 0;
  const auto [end, status] = std::from_chars(body.data(), body.data() + body.size(), number);
  if (status != std::errc{} || !std::isfinite(number) || number < 0) refuse(text);
  const auto unit = find_unit(trimmed(body.substr(static_cast<std::size_t>(end - body.data()))));
  if (!unit) refuse(text);
  const double bytes = number * *unit;
  if (bytes >= 0x1p63) refuse(text);
  // Whole bytes: "1.5 B" is as wrong as "-1 B", but "1.1 MB" may round by less than a byte.
  if (*unit == 1.0 && bytes != std::floor(bytes)) refuse(text);
  return Bytes(static_cast<std::int64_t>(std::llround(bytes)));
}

std::string to_string(Bytes bytes) {
  static constexpr std::array kUnits = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  auto value = static_cast<double>(bytes.count());
  std::size_t unit = 0;
  while (std::abs(value) >= 1023.95 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  if (value == std::floor(value)) return fmt::format("{:.0f} {}", value, kUnits[unit]);
  return fmt::format("{:.{}f} {}", value, std::abs(value) < 10 ? 2 : 1, kUnits[unit]);
}

}  // namespace brim
