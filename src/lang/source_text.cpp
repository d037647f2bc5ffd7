#include "lang/source_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "brim/error.h"

namespace brim::lang {

std::string placed(const SourceText& source, Span span, const std::string& what) {
  const auto& text = source.text;
  const auto start = std::min(span.start, text.size());
  const auto newline = text.rfind('\n', start == 0 ? 0 : start - 1);
  const bool first_line = newline == std::string::npos || newline >= start;
  const auto line_start = first_line ? 0 : newline + 1;
  const auto line_end = std::min(text.find('\n', start), text.size());
  const auto line =
      source.line + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(start), '\n'));
  const auto column = static_cast<int>(start - line_start) + (first_line ? source.column : 1);
  // Long lines are cut around the span; what cannot be printed shows as '?'.
  constexpr std::size_t kBefore = 60;
  constexpr std::size_t kAfter = 40;
  const auto shown_start = start - line_start > kBefore ? start - kBefore : line_start;
  const auto length = std::clamp<std::size_t>(span.length, 1, std::max<std::size_t>(1, line_end - start));
  const auto shown_end = std::min(line_end, start + std::min(length, kBefore) + kAfter);
  std::string shown = text.substr(shown_start, shown_end - shown_start);
  for (char& letter : shown)
    if (static_cast<unsigned char>(letter) < ' ') letter = letter == '\t' ? ' ' : '?';
  return fmt::format("{}:{}:{}: {}\n    {}\n    {}{}", source.name, line, column, what, shown,
                     std::string(start - shown_start, ' '), std::string(std::min(length, kBefore), '^'));
}

void refuse(const SourceText& source, Span span, const std::string& what, const std::string& hint) {
  throw UsageError(placed(source, span, what), hint);
}

}  // namespace brim::lang
