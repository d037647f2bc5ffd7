#include "lang/source_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "brim/error.h"

namespace brim::lang {

namespace {

std::size_t letter_count(std::string_view text) {
  std::size_t count = 0;
  for (; !text.empty(); text.remove_prefix(letter_length(text))) ++count;
  return count;
}

/// The text with '?' for what a terminal should not see; as many letters as before.
std::string printable(std::string_view text) {
  std::string shown;
  for (; !text.empty(); text.remove_prefix(letter_length(text))) {
    const auto length = letter_length(text);
    const auto letter = static_cast<unsigned char>(text.front());
    if (length > 1)
      shown += text.substr(0, length);
    else if (letter == '\t')
      shown += ' ';
    else
      shown += letter < ' ' || letter >= 0x7f ? '?' : text.front();
  }
  return shown;
}

/// The place nearest to `at` from above where a letter of `line` begins.
std::size_t letter_start(std::string_view line, std::size_t at) {
  std::size_t start = 0;
  while (start < at) start += letter_length(line.substr(start));
  return start;
}

}  // namespace

std::size_t letter_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const std::size_t length = byte(0) >= 0xf0 && byte(0) < 0xf8   ? 4
                             : byte(0) >= 0xe0 && byte(0) < 0xf0 ? 3
                             : byte(0) >= 0xc2 && byte(0) < 0xe0 ? 2
                                                                 : 1;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0U) != 0x80U) return 1;
  return length;
}

std::string placed(const SourceText& source, Span span, const std::string& what) {
  const std::string_view text = source.text;
  const auto start = std::min(span.start, text.size());
  const auto newline = start == 0 ? std::string::npos : text.rfind('\n', start - 1);
  const bool first_line = newline == std::string::npos;
  const auto line_start = first_line ? 0 : newline + 1;
  const auto line = text.substr(line_start, std::min(text.find('\n', start), text.size()) - line_start);
  const auto at = start - line_start;
  const auto line_number =
      source.line + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(start), '\n'));
  const auto column = static_cast<int>(letter_count(line.substr(0, at))) + (first_line ? source.column : 1);
  // Long lines are cut around the span.
  constexpr std::size_t kBefore = 60;
  constexpr std::size_t kAfter = 40;
  const auto shown_start = letter_start(line, at > kBefore ? at - kBefore : 0);
  const auto length = std::min(std::max<std::size_t>(1, std::min(span.length, line.size() - at)), kBefore);
  const auto shown_end = letter_start(line, std::min(line.size(), at + length + kAfter));
  return fmt::format("{}:{}:{}: {}\n    {}\n    {}{}", source.name, line_number, column, printable(what),
                     printable(line.substr(shown_start, shown_end - shown_start)),
                     std::string(letter_count(line.substr(shown_start, at - shown_start)), ' '),
                     std::string(std::max<std::size_t>(1, letter_count(line.substr(at, length))), '^'));
}

void refuse(const SourceText& source, Span span, const std::string& what, const std::string& hint) {
  throw UsageError(placed(source, span, what), hint);
}

}  // namespace brim::lang
