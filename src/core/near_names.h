#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace brim {

/// How many letters must be put in, taken out, replaced or swapped with their neighbour to turn one into the other;
/// upper and lower case count as equal.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// "did you mean 'rh' or 'rh2'?" with the nearest of `names`; without a near one "there is: a, b, c"; empty when there
/// are no names.
std::string did_you_mean(std::string_view wanted, const std::vector<std::string>& names);

}  // namespace brim
