#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/check.h"
#include "storage/decoding.h"

namespace brim::storage {
namespace {

struct Half {
  std::uint16_t bits;
};

template <typename Word>
Word swapped_bytes(Word word) {
  if constexpr (sizeof(Word) == 2) return static_cast<Word>(__builtin_bswap16(word));
  if constexpr (sizeof(Word) == 4) return __builtin_bswap32(word);
  if constexpr (sizeof(Word) == 8) return __builtin_bswap64(word);
  return word;
}

template <std::size_t kSize>
struct WordOf;
template <>
struct WordOf<1> {
  using type = std::uint8_t;
};
template <>
struct WordOf<2> {
  using type = std::uint16_t;
};
template <>
struct WordOf<4> {
  using type = std::uint32_t;
};
template <>
struct WordOf<8> {
  using type = std::uint64_t;
};

/// IEEE half to single precision without branches: the exponent is moved by a multiplication, which gets subnormals
/// right too; infinities and NaN are those that end up at 2^16 or above.
inline float widened(Half half) {
  const std::uint32_t magnitude = static_cast<std::uint32_t>(half.bits & 0x7fffU) << 13;
  const std::uint32_t sign = static_cast<std::uint32_t>(half.bits & 0x8000U) << 16;
  const float scaled = std::bit_cast<float>(magnitude) * 0x1p112F;
  const std::uint32_t special = scaled >= 65536.0F ? 0x7f800000U : 0U;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(scaled) | special | sign);
}

template <typename In, bool kSwapped>
inline auto load(const std::byte* stored) {
  using Word = typename WordOf<sizeof(In)>::type;
  Word word;
  std::memcpy(&word, stored, sizeof(Word));
  if constexpr (kSwapped) word = swapped_bytes(word);
  const auto value = std::bit_cast<In>(word);
  if constexpr (std::is_same_v<In, Half>)
    return widened(value);
  else
    return value;
}

template <typename In, bool kSwapped>
void copy_values(const std::byte* stored, std::byte* values, std::int64_t count, const Decoding&) {
  using Out = decltype(load<In, kSwapped>(stored));
  for (std::int64_t i = 0; i < count; ++i) {
    const Out value = load<In, kSwapped>(stored + i * static_cast<std::int64_t>(sizeof(In)));
    std::memcpy(values + i * static_cast<std::int64_t>(sizeof(Out)), &value, sizeof(Out));
  }
}

void truth_values(const std::byte* stored, std::byte* values, std::int64_t count, const Decoding&) {
  for (std::int64_t i = 0; i < count; ++i) values[i] = std::byte{stored[i] != std::byte{0}};
}

/// value = stored * scale + offset in double precision; missing values are compared in the result's precision, as
/// xarray compares them.
template <typename In, bool kSwapped, typename Out>
void decode_values(const std::byte* stored, std::byte* values, std::int64_t count, const Decoding& decoding) {
  constexpr auto kInSize = static_cast<std::int64_t>(sizeof(In));
  constexpr auto kOutSize = static_cast<std::int64_t>(sizeof(Out));
  const bool plain = decoding.scale == 1.0 && decoding.offset == 0.0;
  const double scale = decoding.scale;
  const double offset = decoding.offset;
  const auto put = [values](std::int64_t i, Out value) { std::memcpy(values + i * kOutSize, &value, sizeof(Out)); };
  const auto get = [stored](std::int64_t i) { return static_cast<Out>(load<In, kSwapped>(stored + i * kInSize)); };
  constexpr Out kNan = std::numeric_limits<Out>::quiet_NaN();
  const auto first = decoding.missing.empty() ? kNan : static_cast<Out>(decoding.missing.front());
  if (decoding.missing.size() > 1) {
    for (std::int64_t i = 0; i < count; ++i) {
      const Out raw = get(i);
      bool gone = false;
      for (const double missing : decoding.missing) gone |= raw == static_cast<Out>(missing);
      put(i, gone ? kNan : static_cast<Out>(raw * scale + offset));
    }
  } else if (plain) {
    for (std::int64_t i = 0; i < count; ++i) {
      const Out raw = get(i);
      put(i, raw == first ? kNan : raw);
    }
  } else {
    for (std::int64_t i = 0; i < count; ++i) {
      const Out raw = get(i);
      put(i, raw == first ? kNan : static_cast<Out>(raw * scale + offset));
    }
  }
}

template <typename In, bool kSwapped>
Convert choose(StoredType type, const Decoding& decoding) {
  if (!decoding.active) {
    const bool as_it_is = !kSwapped && !std::is_same_v<In, Half>;
    return as_it_is ? nullptr : static_cast<Convert>(copy_values<In, kSwapped>);
  }
  return decoded_dtype(type, decoding) == DType::kFloat32 ? decode_values<In, kSwapped, float>
                                                          : decode_values<In, kSwapped, double>;
}

template <typename In>
Convert choose(StoredType type, const Decoding& decoding) {
  return type.swapped ? choose<In, true>(type, decoding) : choose<In, false>(type, decoding);
}

template <typename One, typename Two, typename Four, typename Eight>
Convert choose_size(StoredType type, const Decoding& decoding) {
  switch (type.size) {
    case 1:
      return choose<One>(type, decoding);
    case 2:
      return choose<Two>(type, decoding);
    case 4:
      return choose<Four>(type, decoding);
    default:
      return choose<Eight>(type, decoding);
  }
}

}  // namespace

Convert find_convert(StoredType type, const Decoding& decoding) {
  switch (reinterpreted(type, decoding).kind) {
    case StoredKind::kBool:
      return truth_values;
    case StoredKind::kSigned:
      return choose_size<std::int8_t, std::int16_t, std::int32_t, std::int64_t>(type, decoding);
    case StoredKind::kUnsigned:
      return choose_size<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>(type, decoding);
    case StoredKind::kFloat:
      check(type.size > 1, "a float of one byte");
      return choose_size<Half, Half, float, double>(type, decoding);
  }
  return nullptr;
}

}  // namespace brim::storage
