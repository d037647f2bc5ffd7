#include <fmt/format.h>

#include <algorithm>
#include <map>

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
    std::string hint = "expected " + expected;
    if (token.is("=")) hint = "write == to compare; a name is given in the workload's table, not in an expression";
    if (token.is("&&")) hint = "write 'and', or & with parentheses around the comparisons";
    if (token.is("||")) hint = "write 'or', or | with parentheses around the comparisons";
    if (token.is("!")) hint = "write 'not', or ~";
    if (token.is(")") || token.is("]")) hint = fmt::format("nothing opens this '{}'", token.text);
    if (token.kind == Token::Kind::kName || token.kind == Token::Kind::kNumber)
      hint = "an operator is missing before it: write a * between the two to multiply";
    refuse(source_, token.span, fmt::format("'{}' does not fit here", token.text), hint);
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
  SyntaxPtr make(Detail detail, Span span, int depth_below) {
    if (depth_below >= kMaxDepth)
      refuse(source_, span, "the expression is too long a chain", "split it into several names");
    auto syntax = std::make_unique<Syntax>();
    syntax->detail = std::move(detail);
    syntax->span = span;
    syntax->depth = depth_below + 1;
    return syntax;
  }

  SyntaxPtr expression(Precedence lowest) {
    const Level level(*this);
    auto left = prefix();
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
      const auto depth = std::max(left->depth, right->depth);
      OperatorSyntax detail{symbol.text, symbol.span, {}};
      detail.operands.push_back(std::move(left));
      detail.operands.push_back(std::move(right));
      left = make(std::move(detail), span, depth);
    }
  }

  SyntaxPtr comparison(SyntaxPtr first) {
    ComparisonSyntax detail;
    auto span = first->span;
    int depth = first->depth;
    detail.operands.push_back(std::move(first));
    while (binary_precedence(here()) == kCompare) {
      detail.symbols.push_back(take().text);
      detail.operands.push_back(expression(kCompare));
      span = joined(span, detail.operands.back()->span);
      depth = std::max(depth, detail.operands.back()->depth);
    }
    return make(std::move(detail), span, depth);
  }

  SyntaxPtr prefix() {
    const bool sign = here().is("-") || here().is("+") || here().is("~");
    if (!sign && !here().is("not")) return postfix(primary());
    const auto symbol = take();
    auto operand = expression(sign ? kSign : kNot);
    const auto span = joined(symbol.span, operand->span);
    const auto depth = operand->depth;
    OperatorSyntax detail{symbol.text, symbol.span, {}};
    detail.operands.push_back(std::move(operand));
    return make(std::move(detail), span, depth);
  }

  SyntaxPtr primary() {
    const auto token = here();
    if (token.kind == Token::Kind::kNumber) return make(NumberSyntax{take().number}, token.span, 0);
    if (token.kind == Token::Kind::kString) return make(StringSyntax{take().text}, token.span, 0);
    if (token.is("(") || token.is("[")) return parenthesised(take());
    if (token.kind != Token::Kind::kName) refuse_here("a number, a name or '('");
    take();
    if (here().is("(")) return call(token, nullptr);
    return make(NameSyntax{token.text}, token.span, 0);
  }

  /// (a), (a, b), (a,), () and [a, b].
  SyntaxPtr parenthesised(const Token& opener) {
    const char* closer = opener.is("(") ? ")" : "]";
    TupleSyntax tuple;
    bool comma = opener.is("[");
    int depth = 0;
    while (!here().is(closer)) {
      tuple.items.push_back(expression(kLowest));
      depth = std::max(depth, tuple.items.back()->depth);
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
    return make(std::move(tuple), joined(opener.span, end), depth);
  }

  SyntaxPtr postfix(SyntaxPtr base) {
    for (int count = 0;; ++count) {
      if (count > kMaxNesting) refuse(source_, here().span, "too many indices and calls behind one another");
      if (here().is("[")) {
        base = subscript(std::move(base));
      } else if (here().is(".")) {
        take();
        const auto name = here();
        if (name.kind != Token::Kind::kName) refuse_here("the name of a function");
        take();
        if (!here().is("("))
          refuse_here(fmt::format("'(': arrays have no attributes, only functions like .{}()", name.text));
        base = call(name, std::move(base));
      } else {
        return base;
      }
    }
  }

  SyntaxPtr call(const Token& name, SyntaxPtr self) {
    const auto opener = take();
    CallSyntax detail{name.text, name.span, {}};
    int depth = 0;
    Span start = name.span;
    if (self) {
      start = self->span;
      depth = self->depth;
      detail.arguments.push_back({"", self->span, std::move(self)});
    }
    while (!here().is(")")) {
      detail.arguments.push_back(argument(detail.arguments));
      depth = std::max(depth, detail.arguments.back().value->depth);
      if (!here().is(",")) break;
      take();
    }
    const auto end = here().span;
    expect(")", opener);
    return make(std::move(detail), joined(start, end), depth);
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
    int depth = base->depth;
    const auto start = base->span;
    detail.base = std::move(base);
    while (!here().is("]")) {
      detail.items.push_back(subscript_item());
      depth = std::max(depth, detail.items.back()->depth);
      if (!here().is(",")) break;
      take();
    }
    const auto end = here().span;
    if (detail.items.empty() && here().is("]"))
      refuse(source_, joined(opener.span, end), "an index without anything in it");
    expect("]", opener);
    return make(std::move(detail), joined(start, end), depth);
  }

  SyntaxPtr subscript_item() {
    if (here().is("...")) return make(EllipsisSyntax{}, take().span, 0);
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
    return make(std::move(slice), joined(start, last), 1);
  }

  const SourceText& source_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  int level_ = 0;
};

void collect_names(const Syntax* syntax, std::vector<std::string>& names);

struct NameCollector {
  std::vector<std::string>& names;
  void operator()(const NameSyntax& syntax) const { names.push_back(syntax.name); }
  void operator()(const OperatorSyntax& syntax) const { all(syntax.operands); }
  void operator()(const ComparisonSyntax& syntax) const { all(syntax.operands); }
  void operator()(const TupleSyntax& syntax) const { all(syntax.items); }
  void operator()(const CallSyntax& syntax) const {
    for (const auto& argument : syntax.arguments) collect_names(argument.value.get(), names);
  }
  void operator()(const SliceSyntax& syntax) const {
    for (const auto* part : {&syntax.start, &syntax.stop, &syntax.step}) collect_names(part->get(), names);
  }
  void operator()(const IndexSyntax& syntax) const {
    collect_names(syntax.base.get(), names);
    all(syntax.items);
  }
  void operator()(const auto&) const {}
  void all(const std::vector<SyntaxPtr>& parts) const {
    for (const auto& part : parts) collect_names(part.get(), names);
  }
};

void collect_names(const Syntax* syntax, std::vector<std::string>& names) {
  if (syntax != nullptr) std::visit(NameCollector{names}, syntax->detail);
}

}  // namespace

SyntaxPtr parse(const SourceText& source) { return Parser(source).run(); }

std::vector<std::string> names_in(const Syntax& syntax) {
  std::vector<std::string> names;
  collect_names(&syntax, names);
  return names;
}

}  // namespace brim::lang
