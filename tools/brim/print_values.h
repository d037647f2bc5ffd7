#pragma once

#include "brim/read.h"

namespace brim::tool {

/// Prints values on standard output: the last axis on a line, a heading with the indices before each line where
/// there are more axes than one.
void print_values(const Values& values);

}  // namespace brim::tool
