#pragma once

#include <string>
#include <vector>

namespace brim {

/// Lines up rows of cells: the first column to the left, all others to the right. The first row is the heading.
std::string aligned_table(const std::vector<std::vector<std::string>>& rows);

}  // namespace brim
