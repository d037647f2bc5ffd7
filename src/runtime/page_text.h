#pragma once

#include <string_view>

namespace brim::runtime {

/// The page of a report with its style and script, made from src/runtime/page when brim is built. @DATA@ stands where
/// the run's data go.
std::string_view page_text();

}  // namespace brim::runtime
