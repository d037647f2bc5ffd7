#include "lang/token.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <charconv>
#include <string_view>
#include <utility>

namespace brim::lang {
namespace {

// Longer symbols first.
constexpr std::array<std::string_view, 31> kSymbols = {
    "...", "**", "//", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+", "-", "*", "/", "%",
    "&",   "|",  "^",  "~",  "<",  ">",  "(",  ")",  "[",  "]",  ",",  ":", "=", ".", "!"};

/// What people mean by letters that the language does not have.
constexpr std::array<std::pair<std::string_view, const char*>, 20> kForeign = {{
    {"−", "this is not the minus of the keyboard: write -"},
    {"–", "this is not the minus of the keyboard: write -"},
    {"×", "to multiply write *"},
    {"·", "to multiply write *"},
    {"÷", "to divide write /"},
    {"²", "for powers write **2"},
    {"³", "for powers write **3"},
    {"√", "write sqrt(x)"},
    {"π", "write pi"},
    {"∞", "write inf"},
    {"≤", "write <="},
    {"≥", "write >="},
    {"≠", "write !="},
    {"“", "strings stand in plain quotes: 'float32'"},
    {"”", "strings stand in plain quotes: 'float32'"},
    {"‘", "strings stand in plain quotes: 'float32'"},
    {"’", "strings stand in plain quotes: 'float32'"},
    {"?", "to choose by a condition write where(condition, a, b)"},
    {";", "an expression is one formula; a workload gives each its own name"},
    {"\\", "an expression may go on in the next line without a sign"},
}};

bool starts_name(char letter) { return std::isalpha(static_cast<unsigned char>(letter)) != 0 || letter == '_'; }
bool continues_name(char letter) { return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_'; }
bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

class Tokenizer {
 public:
  explicit Tokenizer(const SourceText& source) : source_(source), text_(source.text) {}

  std::vector<Token> run() {
    std::vector<Token> tokens;
    for (;;) {
      skip_blank();
      if (at_ == text_.size()) break;
      tokens.push_back(next());
    }
    Token end;
    // Right behind the last token, not where trailing blanks and comments end.
    end.span = {tokens.empty() ? 0 : tokens.back().span.start + tokens.back().span.length, 1};
    tokens.push_back(end);
    return tokens;
  }

 private:
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  void skip_blank() {
    while (at_ < text_.size()) {
      if (text_[at_] == '#')
        at_ = std::min(text_.find('\n', at_), text_.size());
      else if (std::isspace(static_cast<unsigned char>(text_[at_])) != 0)
        ++at_;
      else
        return;
    }
  }

  Token next() {
    if (is_digit(peek()) || (peek() == '.' && is_digit(peek(1)))) return number();
    if (starts_name(peek())) return name();
    if (peek() == '\'' || peek() == '"') return quoted();
    const std::string_view rest = std::string_view(text_).substr(at_);
    for (const auto symbol : kSymbols)
      if (rest.starts_with(symbol)) return make(Token::Kind::kSymbol, symbol.size());
    refuse_letter();
  }

  [[noreturn]] void refuse_letter() const {
    const std::string_view rest = std::string_view(text_).substr(at_);
    const auto length = letter_length(rest);
    const auto letter = static_cast<unsigned char>(rest.front());
    const bool shown = length > 1 || std::isprint(letter) != 0;
    const auto name = shown ? std::string(rest.substr(0, length)) : fmt::format("\\x{:02x}", letter);
    std::string hint;
    for (const auto& [foreign, meaning] : kForeign)
      if (rest.starts_with(foreign)) hint = meaning;
    refuse(source_, {at_, length}, fmt::format("'{}' means nothing here", name), hint);
  }

  Token make(Token::Kind kind, std::size_t length) {
    Token token;
    token.kind = kind;
    token.text = text_.substr(at_, length);
    token.span = {at_, length};
    at_ += length;
    return token;
  }

  Token name() {
    std::size_t length = 1;
    while (continues_name(peek(length))) ++length;
    auto token = make(Token::Kind::kName, length);
    if (token.text == "and" || token.text == "or" || token.text == "not") token.kind = Token::Kind::kSymbol;
    return token;
  }

  Token quoted() {
    const auto end = text_.find(peek(), at_ + 1);
    if (end == std::string::npos)
      refuse(source_, {at_, 1}, "a string without an end", fmt::format("close it with {}", peek()));
    auto token = make(Token::Kind::kString, end + 1 - at_);
    token.text = token.text.substr(1, token.text.size() - 2);
    return token;
  }

  Token number() {
    const auto start = at_;
    if (peek() == '0' && (peek(1) == 'x' || peek(1) == 'X')) return hexadecimal();
    std::size_t length = 0;
    bool floating = false;
    const auto digits = [&] {
      while (is_digit(peek(length)) || (peek(length) == '_' && is_digit(peek(length + 1)))) ++length;
    };
    digits();
    if (peek(length) == '.') {
      floating = true;
      ++length;
      digits();
    }
    if ((peek(length) == 'e' || peek(length) == 'E') &&
        (is_digit(peek(length + 1)) ||
         ((peek(length + 1) == '-' || peek(length + 1) == '+') && is_digit(peek(length + 2))))) {
      floating = true;
      length += 2;
      digits();
    }
    auto token = make(Token::Kind::kNumber, length);
    const auto plain = without_underscores(token.text);
    if (floating)
      token.number = to_double(plain, {start, length});
    else
      token.number = to_integer(plain, 10, {start, length});
    refuse_glued_name(token.text);
    return token;
  }

  Token hexadecimal() {
    std::size_t length = 2;
    while (std::isxdigit(static_cast<unsigned char>(peek(length))) != 0 || peek(length) == '_') ++length;
    const Span span{at_, length};
    if (length == 2) refuse(source_, span, "a hexadecimal number without digits", "for example 0xFF");
    auto token = make(Token::Kind::kNumber, length);
    token.number = to_integer(without_underscores(token.text).substr(2), 16, span);
    refuse_glued_name(token.text);
    return token;
  }

  /// "2x" is a slip for "2*x".
  void refuse_glued_name(const std::string& number) const {
    if (!starts_name(peek())) return;
    std::size_t length = 1;
    while (continues_name(peek(length))) ++length;
    refuse(source_, {at_, length}, fmt::format("'{}' follows a number directly", text_.substr(at_, length)),
           fmt::format("write the multiplication: {}*{}", number, text_.substr(at_, length)));
  }

  static std::string without_underscores(const std::string& text) {
    std::string plain;
    for (const char letter : text)
      if (letter != '_') plain += letter;
    return plain;
  }

  std::int64_t to_integer(const std::string& digits, int base, Span span) const {
    std::int64_t value = 0;
    const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    if (status != std::errc{} || end != digits.data() + digits.size())
      refuse(source_, span, "a whole number that does not fit 64 bits", "write it as a floating number: 1e30");
    return value;
  }

  double to_double(const std::string& digits, Span span) const {
    double value = 0;
    const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (status == std::errc::result_out_of_range) refuse(source_, span, "a number beyond what float64 holds");
    return value;
  }

  const SourceText& source_;
  const std::string& text_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<Token> tokenize(const SourceText& source) { return Tokenizer(source).run(); }

}  // namespace brim::lang
