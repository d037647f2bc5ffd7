#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "lang/source_text.h"

namespace brim::lang {

struct Syntax;
using SyntaxPtr = std::unique_ptr<Syntax>;

struct NumberSyntax {
  std::variant<std::int64_t, double> value;
};
struct StringSyntax {
  std::string value;
};
struct NameSyntax {
  std::string name;
};
/// "-", "+", "~", "not" before one operand, or an operator between two.
struct OperatorSyntax {
  std::string symbol;
  Span symbol_span;
  std::vector<SyntaxPtr> operands;
};
/// a < b <= c: every neighbouring pair is compared.
struct ComparisonSyntax {
  std::vector<std::string> symbols;
  std::vector<SyntaxPtr> operands;
};
struct Argument {
  std::string keyword;  ///< empty for a positional one
  Span span;
  SyntaxPtr value;
};
struct CallSyntax {
  std::string function;
  Span function_span;
  std::vector<Argument> arguments;
};
/// x.shape, without a call.
struct AttributeSyntax {
  SyntaxPtr base;
  std::string name;
  Span name_span;
};
/// (a, b) and [a, b].
struct TupleSyntax {
  std::vector<SyntaxPtr> items;
};
struct SliceSyntax {
  SyntaxPtr start;  ///< any of them may be null
  SyntaxPtr stop;
  SyntaxPtr step;
};
struct EllipsisSyntax {};
struct IndexSyntax {
  SyntaxPtr base;
  std::vector<SyntaxPtr> items;
};

/// A parsed expression, with the place of every part.
struct Syntax {
  std::variant<NumberSyntax, StringSyntax, NameSyntax, OperatorSyntax, ComparisonSyntax, CallSyntax, AttributeSyntax,
               TupleSyntax, SliceSyntax, EllipsisSyntax, IndexSyntax>
      detail;
  Span span;
  int depth = 1;    ///< of the tree below, this node included
  int nesting = 1;  ///< the same, a chain of operators a + b + c + ... counted once
};

/// Parses one expression with Python's precedence. Throws UsageError with the place and the likely meaning.
SyntaxPtr parse(const SourceText& source);

/// Every name that an expression uses as a value, in order of appearance.
std::vector<std::string> names_in(const Syntax& syntax);

}  // namespace brim::lang
