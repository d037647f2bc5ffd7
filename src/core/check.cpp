#include "core/check.h"

#include <fmt/format.h>

#include "brim/error.h"

namespace brim {

void throw_broken_invariant(std::string_view what, const char* file, int line) {
  throw InternalError(fmt::format("broken invariant: {} ({}:{})", what, file, line),
                      "this is a defect in brim; please report it with the command that led here");
}

}  // namespace brim
