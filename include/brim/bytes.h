#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace brim {

/// An amount of memory or of data, in bytes. A value type: cheap to copy, never negative in a public result, but
/// signed inside so that differences of two amounts are safe to form. Thread safe as any int is.
class Bytes {
 public:
  constexpr Bytes() = default;
  constexpr explicit Bytes(std::int64_t count) : count_(count) {}

  /// The number of bytes.
  constexpr std::int64_t count() const { return count_; }

  constexpr auto operator<=>(const Bytes&) const = default;
  constexpr Bytes& operator+=(Bytes other) {
    count_ += other.count_;
    return *this;
  }
  constexpr Bytes& operator-=(Bytes other) {
    count_ -= other.count_;
    return *this;
  }
  friend constexpr Bytes operator+(Bytes a, Bytes b) { return Bytes(a.count_ + b.count_); }
  friend constexpr Bytes operator-(Bytes a, Bytes b) { return Bytes(a.count_ - b.count_); }
  friend constexpr Bytes operator*(Bytes a, std::int64_t n) { return Bytes(a.count_ * n); }
  friend constexpr std::int64_t operator/(Bytes a, Bytes b) { return a.count_ / b.count_; }

 private:
  std::int64_t count_ = 0;
};

/// n times 2^10, 2^20, 2^30 bytes.
constexpr Bytes kibibytes(std::int64_t n) { return Bytes(n << 10); }
constexpr Bytes mebibytes(std::int64_t n) { return Bytes(n << 20); }
constexpr Bytes gibibytes(std::int64_t n) { return Bytes(n << 30); }

/// Reads "2GB" (2 * 10^9), "2GiB" (2 * 2^30), "1.5 MiB", "300" or "300 B"; units in any case, k M G T with B or iB.
/// Throws UsageError for anything else, for negative amounts and for more than 2^63-1 bytes.
Bytes parse_bytes(std::string_view text);

/// For people: "0 B", "512 B", "1.5 KiB", "2 GiB"; at most three significant decimals, never more than 7 characters of
/// number.
std::string to_string(Bytes bytes);

}  // namespace brim
