#pragma once

#include <functional>

#include "lang/source_text.h"
#include "lang/syntax.h"
#include "lang/value.h"

namespace brim::lang {

/// Gives the array behind a name; nothing for an unknown one.
using FindName = std::function<std::optional<Array>(const std::string& name)>;

/// The value of a parsed expression. `known` lists the names for suggestions. Throws UsageError with the place.
Value evaluate(const Syntax& syntax, const SourceText& source, const FindName& find,
               const std::vector<std::string>& known);

/// The array that a whole expression comes to; numbers become 0-d arrays. Throws UsageError for tuples and strings.
Array require_result(const Value& value, const SourceText& source);

}  // namespace brim::lang
