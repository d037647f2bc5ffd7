#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace brim::lang {

/// A piece of a source text, in bytes from its start.
struct Span {
  std::size_t start = 0;
  std::size_t length = 0;
};

/// A text and where it stands, for errors.
struct SourceText {
  std::string text;
  std::string name = "expression";  ///< a file's name, or what kind of text it is
  int line = 1;                     ///< where the text begins there, both from 1
  int column = 1;
};

/// Bytes of the letter that a text begins with: 2 to 4 for UTF-8, 1 for ASCII and for bytes that are no text.
std::size_t letter_length(std::string_view text);

/// "NAME:LINE:COLUMN: what" with the line and the span underlined below it.
std::string placed(const SourceText& source, Span span, const std::string& what);

/// Throws a UsageError of what placed() gives.
[[noreturn]] void refuse(const SourceText& source, Span span, const std::string& what, const std::string& hint = {});

}  // namespace brim::lang
