#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <type_traits>
#include <utility>

#include "lang/syntax.h"
#include "lang/token.h"

namespace brim::lang {
namespace {

/// Deeper nesting would overflow the stack somewhere; nobody writes it.
constexpr int kMaxNesting = 250;
/// Chains of operators and comparisons may be longer: they are evaluated in a loop.
constexpr int kMaxDepth = 10'000;

// Python's order: or, and, not, comparisons, |, ^, &, shifts, sums, products, signs, power.
enum Precedence {
  kLowest = 0,
  kOr,
  kAnd,
  kNot,
  kCompare,
  kBitOr,
  kBitXor,
  kBitAnd,
  kShift,
  kSum,
  kProduct,
  kSign,
  kPower
};

Precedence binary_precedence(const Token& token) {
  static const std::map<std::string, Precedence> kTable = {
      {"or", kOr},      {"and", kAnd},    {"<", kCompare},  {"<=", kCompare}, {">", kCompare},
      {">=", kCompare}, {"==", kCompare}, {"!=", kCompare}, {"|", kBitOr},    {"^", kBitXor},
      {"&", kBitAnd},   {"<<", kShift},   {">>", kShift},   {"+", kSum},      {"-", kSum},
      {"*", kProduct},  {"/", kProduct},  {"//", kProduct}, {"%", kProduct},  {"**", kPower}};
  if (token.kind != Token::Kind::kSymbol) return kLowest;
  const auto found = kTable.find(token.text);
  return found == kTable.end() ? kLowest : found->second;
}

Span joined(Span a, Span b) { return {a.start, b.start + b.length - a.start}; }

/// What people mean who write a token where it does not fit; empty when nobody can know.
std::string find_meaning(const Token& token) {
  static const std::map<std::string, std::string> kMeanings = {
      {"=", "write == to compare; a name is given in the workload's table, not in an expression"},
      {"&&", "write 'and', or & with parentheses around the comparisons"},
      {"||", "write 'or', or | with parentheses around the comparisons"},
      {"!", "write 'not', or ~"},
      {")", "nothing opens this ')'"},
      {"]", "nothing opens this ']'"},
      {"if", "to choose by a condition write where(condition, a, b)"},
      {"else", "to choose by a condition write where(condition, a, b)"},
      {"is", "write == to compare"},
      {"for", "there are no loops: functions work on whole arrays"},
      {"lambda", "there are no functions of one's own"},
  };
  if (token.kind == Token::Kind::kString) return "an operator is missing before it";
  const auto found = kMeanings.find(token.text);
  if (found != kMeanings.end()) return found->second;
  if (token.kind == Token::Kind::kName || token.kind == Token::Kind::kNumber)
    return "an operator is missing before it: write a * between the two to multiply";
  return {};
}

/// Calls visit(const Syntax&) for every part right below a node, from left to right.
template <typename Visit>
struct PartVisitor {
  Visit visit;
  void operator()(const OperatorSyntax& syntax) const { all(syntax.operands); }
  void operator()(const ComparisonSyntax& syntax) const { all(syntax.operands); }
  void operator()(const TupleSyntax& syntax) const { all(syntax.items); }
  void operator()(const CallSyntax& syntax) const {
    for (const auto& argument : syntax.arguments) visit(*argument.value);
  }
  void operator()(const AttributeSyntax& syntax) const { visit(*syntax.base); }
  void operator()(const SliceSyntax& syntax) const {
    for (const auto* part : {&syntax.start, &syntax.stop, &syntax.step})
      if (*part) visit(**part);
  }
  void operator()(const IndexSyntax& syntax) const {
    visit(*syntax.base);
    all(syntax.items);
  }
  void operator()(const auto&) const {}  // a leaf
  void all(const std::vector<SyntaxPtr>& parts) const {
    for (const auto& part : parts) visit(*part);
  }
};

template <typename Detail, typename Visit>
void each_part(const Detail& detail, Visit visit) {
  PartVisitor<Visit&>{visit}(detail);
}

template <typename Detail>
bool is_binary(const Detail& detail) {
  const OperatorSyntax* syntax = nullptr;
  if constexpr (std::is_same_v<Detail, OperatorSyntax>) syntax = &detail;
  if constexpr (std::is_same_v<Detail, decltype(Syntax::detail)>) syntax = std::get_if<OperatorSyntax>(&detail);
  return syntax != nullptr && syntax->operands.size() == 2;
}

class Parser {
 public:
  explicit Parser(const SourceText& source) : source_(source), tokens_(tokenize(source)) {}

  SyntaxPtr run() {
    if (here().kind == Token::Kind::kEnd) refuse(source_, {0, 1}, "there is no expression");
    auto syntax = expression(kLowest);
    // A bare comma makes a tuple in Python; here it is a slip.
    if (here().kind != Token::Kind::kEnd) refuse_here("an operator or the end");
    return syntax;
  }

 private:
  const Token& here() const { return tokens_[at_]; }
  Token take() { return tokens_[at_ == tokens_.size() - 1 ? at_ : at_++]; }

  [[noreturn]] void refuse_here(const std::string& expected) const {
    const auto& token = here();
    if (token.kind == Token::Kind::kEnd)
      refuse(source_, token.span, "the expression ends too early", "expected " + expected);
    const auto familiar = find_meaning(token);
    refuse(source_, token.span, fmt::format("'{}' does not fit here", token.text),
           familiar.empty() ? "expected " + expected : familiar);
  }

  void expect(const char* symbol, const Token& opener) {
    if (here().is(symbol)) {
      take();
      return;
    }
    if (here().kind == Token::Kind::kEnd)
      refuse(source_, opener.span, fmt::format("this '{}' is never closed", opener.text),
             fmt::format("add a '{}'", symbol));
    refuse_here(fmt::format("',' or '{}'", symbol));
  }

  /// Counts the recursion of the parser itself.
  class Level {
   public:
    explicit Level(Parser& parser) : parser_(parser) {
      if (++parser.level_ > kMaxNesting)
        refuse(parser.source_, parser.here().span, "the expression is nested too deeply",
               "split it into several names");
    }
    ~Level() { --parser_.level_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    Parser& parser_;
  };

  template <typename Detail>
  SyntaxPtr make(Detail detail, Span span) {
    auto syntax = std::make_unique<Syntax>();
    int operands = 0;
    each_part(detail, [&](const Syntax& part) {
      syntax->depth = std::max(syntax->depth, part.depth + 1);
      // The left side of an operator is evaluated in a loop where it is an operator itself.
      const bool in_chain = is_binary(detail) && operands++ == 0 && is_binary(part.detail);
      syntax->nesting = std::max(syntax->nesting, part.nesting + (in_chain ? 0 : 1));
    });
    if (syntax->depth > kMaxDepth)
      refuse(source_, span, "the expression is too long a chain", "split it into several names");
    if (syntax->nesting > kMaxNesting)
      refuse(source_, span, "the expression is nested too deeply", "split it into several names");
    syntax->detail = std::move(detail);
    syntax->span = span;
    return syntax;
  }

  SyntaxPtr expression(Precedence lowest) {
    const Level level(*this);
    auto left = prefix(lowest);
    for (;;) {
      const auto precedence = binary_precedence(here());
      if (precedence == kLowest || precedence <= lowest) return left;
      if (precedence == kCompare) {
        left = comparison(std::move(left));
        continue;
      }
      const auto symbol = take();
      // ** groups to the right and takes a sign on its right side.
      auto right = expression(precedence == kPower ? kSign : precedence);
      const auto span = joined(left->span, right->span);
      OperatorSyntax detail{symbol.text, symbol.span, {}};
      detail.operands.push_back(std::move(left));
      detail.operands.push_back(std::move(right));
      left = make(std::move(detail), span);
    }
  }

  SyntaxPtr comparison(SyntaxPtr first) {
    ComparisonSyntax detail;
    auto span = first->span;
    detail.operands.push_back(std::move(first));
    while (binary_precedence(here()) == kCompare) {
      detail.symbols.push_back(take().text);
      detail.operands.push_back(expression(kCompare));
      span = joined(span, detail.operands.back()->span);
    }
    return make(std::move(detail), span);
  }

  SyntaxPtr prefix(Precedence lowest) {
    const bool sign = here().is("-") || here().is("+") || here().is("~");
    if (!sign && !here().is("not")) return postfix(primary());
    if (!sign && lowest > kNot)
      refuse(source_, here().span, "'not' behind an operator that binds tighter", "put it into parentheses: (not x)");
    const auto symbol = take();
    auto operand = expression(sign ? kSign : kNot);
    const auto span = joined(symbol.span, operand->span);
    OperatorSyntax detail{symbol.text, symbol.span, {}};
    detail.operands.push_back(std::move(operand));
    return make(std::move(detail), span);
  }

  SyntaxPtr primary() {
    const auto token = here();
    if (token.kind == Token::Kind::kNumber) return make(NumberSyntax{take().number}, token.span);
    if (token.kind == Token::Kind::kString) return make(StringSyntax{take().text}, token.span);
    if (token.is("(") || token.is("[")) return parenthesised(take());
    if (token.kind != Token::Kind::kName) refuse_here("a number, a name or '('");
    take();
    if (here().is("(")) return call(token, nullptr);
    return make(NameSyntax{token.text}, token.span);
  }

  /// (a), (a, b), (a,), () and [a, b].
  SyntaxPtr parenthesised(const Token& opener) {
    const char* closer = opener.is("(") ? ")" : "]";
    TupleSyntax tuple;
    bool comma = opener.is("[");
    while (!here().is(closer)) {
      tuple.items.push_back(expression(kLowest));
      if (!here().is(",")) break;
      take();
      comma = true;
    }
    const auto end = here().span;
    expect(closer, opener);
    if (!comma && tuple.items.size() == 1) {
      // The parentheses belong to what is underlined, not to the tree.
      auto inner = std::move(tuple.items.front());
      inner->span = joined(opener.span, end);
      return inner;
    }
    return make(std::move(tuple), joined(opener.span, end));
  }

  SyntaxPtr postfix(SyntaxPtr base) {
    for (int count = 0;; ++count) {
      if (count > kMaxNesting) refuse(source_, here().span, "too many indices and calls behind one another");
      if (here().is("[")) {
        base = subscript(std::move(base));
      } else if (here().is(".")) {
        take();
        const auto name = here();
        if (name.kind != Token::Kind::kName) refuse_here("the name of a function or an attribute");
        take();
        base = here().is("(") ? call(name, std::move(base)) : attribute(name, std::move(base));
      } else {
        return base;
      }
    }
  }

  SyntaxPtr attribute(const Token& name, SyntaxPtr base) {
    const auto span = joined(base->span, name.span);
    return make(AttributeSyntax{std::move(base), name.text, name.span}, span);
  }

  SyntaxPtr call(const Token& name, SyntaxPtr self) {
    const auto opener = take();
    CallSyntax detail{name.text, name.span, {}};
    Span start = name.span;
    if (self) {
      start = self->span;
      detail.arguments.push_back({"", self->span, std::move(self)});
    }
    while (!here().is(")")) {
      detail.arguments.push_back(argument(detail.arguments));
      if (!here().is(",")) break;
      take();
    }
    const auto end = here().span;
    expect(")", opener);
    return make(std::move(detail), joined(start, end));
  }

  Argument argument(const std::vector<Argument>& before) {
    Argument result;
    result.span = here().span;
    if (here().kind == Token::Kind::kName && tokens_[at_ + 1].is("=")) {
      result.keyword = take().text;
      take();
    } else if (!before.empty() && !before.back().keyword.empty()) {
      refuse(source_, here().span, "an argument without a keyword after one with", "put it first, or name it too");
    }
    result.value = expression(kLowest);
    return result;
  }

  SyntaxPtr subscript(SyntaxPtr base) {
    const auto opener = take();
    IndexSyntax detail;
    const auto start = base->span;
    detail.base = std::move(base);
    while (!here().is("]")) {
      detail.items.push_back(subscript_item());
      if (!here().is(",")) break;
      take();
    }
    const auto end = here().span;
    if (detail.items.empty() && here().is("]"))
      refuse(source_, joined(opener.span, end), "an index without anything in it");
    expect("]", opener);
    return make(std::move(detail), joined(start, end));
  }

  SyntaxPtr subscript_item() {
    if (here().is("...")) return make(EllipsisSyntax{}, take().span);
    const auto start = here().span;
    SliceSyntax slice;
    if (!here().is(":")) slice.start = expression(kLowest);
    if (!here().is(":")) return std::move(slice.start);
    take();
    const auto bound = [&] {
      return here().is(":") || here().is(",") || here().is("]") ? nullptr : expression(kLowest);
    };
    slice.stop = bound();
    if (here().is(":")) {
      take();
      slice.step = bound();
    }
    const auto& last = tokens_[at_ - 1].span;
    return make(std::move(slice), joined(start, last));
  }

  const SourceText& source_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  int level_ = 0;
};

}  // namespace

SyntaxPtr parse(const SourceText& source) { return Parser(source).run(); }

std::vector<std::string> names_in(const Syntax& syntax) {
  std::vector<std::string> names;
  std::vector<const Syntax*> waiting = {&syntax};
  while (!waiting.empty()) {
    const auto* next = waiting.back();
    waiting.pop_back();
    if (const auto* name = std::get_if<NameSyntax>(&next->detail)) names.push_back(name->name);
    const auto below = static_cast<std::ptrdiff_t>(waiting.size());
    std::visit([&](const auto& detail) { each_part(detail, [&](const Syntax& part) { waiting.push_back(&part); }); },
               next->detail);
    std::reverse(waiting.begin() + below, waiting.end());
  }
  return names;
}

}  // namespace brim::lang
