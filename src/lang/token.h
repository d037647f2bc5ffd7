#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "lang/source_text.h"

namespace brim::lang {

struct Token {
  enum class Kind : std::uint8_t { kNumber, kString, kName, kSymbol, kEnd } kind = Kind::kEnd;
  std::string text;  ///< a name, a symbol ("**"), or the contents of a string
  std::variant<std::int64_t, double> number;
  Span span;

  bool is(const char* symbol) const { return kind == Kind::kSymbol && text == symbol; }
};

/// Cuts an expression into tokens; the last one is kEnd. Names that are words of the language (and, or, not) are
/// symbols. Comments run from # to the end of the line; new lines separate nothing.
std::vector<Token> tokenize(const SourceText& source);

}  // namespace brim::lang
