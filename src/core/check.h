#pragma once

#include <string_view>

namespace brim {

/// Guards an invariant, in every build. Throws InternalError with the place when `condition` is false: a defect of
/// brim, never a mistake of the user.
void check(bool condition, std::string_view what, const char* file = __builtin_FILE(), int line = __builtin_LINE());

}  // namespace brim
