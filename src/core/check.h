#pragma once

#include <string_view>

namespace brim {

[[noreturn]] void throw_broken_invariant(std::string_view what, const char* file, int line);

/// Guards an invariant, in every build. Throws InternalError with the place when `condition` is false: a defect of
/// brim, never a mistake of the user.
inline void check(bool condition, std::string_view what, const char* file = __builtin_FILE(),
                  int line = __builtin_LINE()) {
  if (!condition) [[unlikely]]
    throw_broken_invariant(what, file, line);
}

}  // namespace brim
