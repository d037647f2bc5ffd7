#include "lang/evaluate.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "brim/error.h"
#include "core/near_names.h"
#include "lang/functions.h"

namespace brim::lang {
namespace {

std::optional<Value> find_constant(const std::string& name) {
  if (name == "true" || name == "True") return Value{true};
  if (name == "false" || name == "False") return Value{false};
  if (name == "nan") return Value{std::numeric_limits<double>::quiet_NaN()};
  if (name == "inf") return Value{std::numeric_limits<double>::infinity()};
  if (name == "pi") return Value{std::numbers::pi};
  if (name == "e") return Value{std::numbers::e};
  if (name == "None" || name == "newaxis") return Value{NoValue{}};
  return std::nullopt;
}

constexpr const char* kConstants[] = {"true", "false", "nan", "inf", "pi", "e", "None", "newaxis"};

class Evaluator {
 public:
  Evaluator(const SourceText& source, const FindName& find, const std::vector<std::string>& known)
      : source_(source), find_(find), known_(known) {}

  Value of(const Syntax& syntax) {
    return std::visit([&](const auto& detail) { return at(syntax.span, [&] { return value(detail, syntax.span); }); },
                      syntax.detail);
  }

 private:
  /// Puts the place to errors that come from below without one.
  template <typename Compute>
  Value at(Span span, Compute compute) {
    try {
      return compute();
    } catch (const UsageError& error) {
      if (placed_) throw;
      placed_ = true;
      refuse(source_, span, error.record().what, error.record().hint);
    }
  }

  [[noreturn]] void refuse_at(Span span, const std::string& what, const std::string& hint) {
    placed_ = true;
    refuse(source_, span, what, hint);
  }

  Value value(const NumberSyntax& syntax, Span) {
    return std::visit([](auto number) { return Value{number}; }, syntax.value);
  }
  Value value(const StringSyntax& syntax, Span) { return {syntax.value}; }
  Value value(const EllipsisSyntax&, Span) { throw UsageError("'...' stands in an index only"); }
  Value value(const SliceSyntax&, Span) { throw UsageError("a slice stands in an index only"); }

  Value value(const NameSyntax& syntax, Span span) {
    if (auto array = find_(syntax.name)) return {*array};
    if (auto constant = find_constant(syntax.name)) return *constant;
    if (const auto* function = find_language_function(syntax.name))
      refuse_at(span, fmt::format("'{}' is a function", syntax.name), "call it: " + function->signature());
    refuse_at(span, fmt::format("unknown name '{}'", syntax.name), hint_for_unknown(syntax.name));
  }

  std::string hint_for_unknown(const std::string& name) const {
    for (const auto* module : {"np", "numpy", "math", "xp", "jnp", "da", "xr"})
      if (name == module) return fmt::format("functions stand alone: exp(x), not {}.exp(x)", module);
    auto candidates = known_;
    for (const auto* constant : kConstants)
      // Short ones are near to everything.
      if (std::string_view(constant).size() > 2) candidates.emplace_back(constant);
    auto near = did_you_mean(name, candidates);
    return near.starts_with("did") ? near : did_you_mean(name, known_);
  }

  Value value(const AttributeSyntax& syntax, Span) {
    const auto base = of(*syntax.base);
    const auto* array = std::get_if<Array>(&base.held);
    if (array == nullptr)
      refuse_at(syntax.name_span, fmt::format("{} has no attribute '{}'", kind_of(base), syntax.name),
                "only arrays have attributes");
    if (syntax.name == "shape") {
      Tuple extents;
      for (const auto extent : array->shape()) extents.emplace_back().held = extent;
      return {extents};
    }
    if (syntax.name == "ndim") return {static_cast<std::int64_t>(array->ndim())};
    if (syntax.name == "size") return {array->size()};
    if (syntax.name == "dtype") return {std::string(to_string(array->dtype()))};
    const auto* function = find_language_function(syntax.name);
    refuse_at(syntax.name_span, fmt::format("arrays have no attribute '{}'", syntax.name),
              function != nullptr ? "call it: " + function->signature()
                                  : did_you_mean(syntax.name, {"shape", "ndim", "size", "dtype"}));
  }

  Value value(const TupleSyntax& syntax, Span) {
    Tuple items;
    for (const auto& item : syntax.items) items.push_back(of(*item));
    return {items};
  }

  Value value(const OperatorSyntax& syntax, Span span) {
    if (syntax.operands.size() == 1) return sign(syntax.symbol, of(*syntax.operands.front()));
    // a + b + c + ... leans to the left: down to its first operand without recursion, then back up.
    std::vector<std::pair<const OperatorSyntax*, Span>> chain = {{&syntax, span}};
    const Syntax* first = syntax.operands.front().get();
    for (;;) {
      const auto* left = std::get_if<OperatorSyntax>(&first->detail);
      if (left == nullptr || left->operands.size() != 2) break;
      chain.emplace_back(left, first->span);
      first = left->operands.front().get();
    }
    auto result = of(*first);
    for (auto link = chain.rbegin(); link != chain.rend(); ++link)
      result = at(link->second, [&] {
        return binary(link->first->symbol, result, of(*link->first->operands.back()), link->first->symbol_span);
      });
    return result;
  }

  Value sign(const std::string& symbol, const Value& x) {
    const auto* array = std::get_if<Array>(&x.held);
    if (array == nullptr) {
      (void)require_operand(x);
      return number_sign(symbol, x);
    }
    if (symbol == "-") return {negative(*array)};
    if (symbol == "+") return {positive(*array)};
    if (symbol == "~") return {bitwise_invert(*array)};
    return {logical_not(*array)};
  }

  Value binary(const std::string& symbol, const Value& a, const Value& b, Span symbol_span) {
    if (is_number(a) && is_number(b)) return number_operator(symbol, a, b);
    const auto left = require_operand(a);
    const auto right = require_operand(b);
    try {
      return {array_operator(symbol, left, right)};
    } catch (const UsageError& error) {
      if (symbol == "^") refuse_at(symbol_span, error.record().what, "did you mean '**', the power?");
      if (symbol == "&" || symbol == "|")
        refuse_at(symbol_span, error.record().what,
                  fmt::format("'{0}' binds tighter than comparisons: write (x > 1) {0} (x < 2)", symbol));
      throw;
    }
  }

  Value value(const ComparisonSyntax& syntax, Span span) {
    std::optional<Value> all;
    auto left = of(*syntax.operands.front());
    for (std::size_t i = 0; i < syntax.symbols.size(); ++i) {
      auto right = of(*syntax.operands[i + 1]);
      auto one = binary(syntax.symbols[i], left, right, span);
      all = all ? binary("and", *all, one, span) : one;
      left = std::move(right);
    }
    return *all;
  }

  Value value(const CallSyntax& syntax, Span) {
    const auto* function = find_language_function(syntax.function);
    if (function == nullptr) {
      if (find_(syntax.function))
        refuse_at(syntax.function_span, fmt::format("'{}' is an array, not a function", syntax.function),
                  "to multiply write *, to take elements write [...]");
      refuse_at(syntax.function_span, fmt::format("unknown function '{}'", syntax.function),
                hint_for_unknown_function(syntax.function));
    }
    return function->call(bind(*function, syntax));
  }

  static std::string hint_for_unknown_function(const std::string& name) {
    if (const auto own = find_familiar_function(name); !own.empty())
      return "did you mean " + find_language_function(own)->signature() + "?";
    std::vector<std::string> names;
    for (const auto& row : language_functions()) names.push_back(row.name);
    return did_you_mean(name, names);
  }

  /// The value of an argument, if it is one that the parameter takes; nothing for a None in place of an optional one.
  std::optional<Value> argument_value(const std::string& function, const Parameter& parameter, const Syntax& syntax) {
    auto value = of(syntax);
    if (!parameter.required && std::holds_alternative<NoValue>(value.held)) return std::nullopt;
    return at(syntax.span, [&] {
      try {
        parameter.check(value);
        return value;
      } catch (const UsageError& error) {
        throw UsageError(fmt::format("the argument '{}' of {}: {}", parameter.name, function, error.record().what),
                         error.record().hint);
      }
    });
  }

  Arguments bind(const LanguageFunction& function, const CallSyntax& syntax) {
    const auto& parameters = function.parameters;
    Arguments bound(parameters.size());
    std::vector<bool> given(parameters.size(), false);
    for (std::size_t i = 0; i < syntax.arguments.size(); ++i) {
      const auto& argument = syntax.arguments[i];
      std::size_t place = i;
      if (!argument.keyword.empty()) {
        place = 0;
        while (place < parameters.size() && parameters[place].name != argument.keyword) ++place;
        if (place == parameters.size())
          refuse_at(argument.span, fmt::format("{} has no argument '{}'", function.name, argument.keyword),
                    "it takes " + function.signature());
      }
      if (place >= parameters.size())
        refuse_at(argument.span, fmt::format("too many arguments for {}", function.name),
                  "it takes " + function.signature());
      if (given[place])
        refuse_at(argument.span, fmt::format("the argument '{}' is given twice", parameters[place].name),
                  "it takes " + function.signature());
      given[place] = true;
      bound[place] = argument_value(function.name, parameters[place], *argument.value);
    }
    for (std::size_t i = 0; i < parameters.size(); ++i)
      if (parameters[i].required && !given[i])
        refuse_at(syntax.function_span, fmt::format("{} lacks its argument '{}'", function.name, parameters[i].name),
                  "it takes " + function.signature());
    return bound;
  }

  Value value(const IndexSyntax& syntax, Span) {
    const auto base = of(*syntax.base);
    if (const auto* tuple = std::get_if<Tuple>(&base.held)) return element(*tuple, syntax);
    if (!std::holds_alternative<Array>(base.held))
      refuse_at(syntax.base->span, fmt::format("{} cannot be indexed", kind_of(base)), "only arrays can");
    std::vector<IndexItem> items;
    for (const auto& item : syntax.items) items.push_back(index_item(*item));
    return {index(std::get<Array>(base.held), items)};
  }

  /// One item of a tuple: x.shape[-1].
  Value element(const Tuple& tuple, const IndexSyntax& syntax) {
    const auto place = syntax.items.size() == 1 ? of(*syntax.items.front()) : Value{NoValue{}};
    const auto* index = std::get_if<std::int64_t>(&place.held);
    const auto count = static_cast<std::int64_t>(tuple.size());
    if (index == nullptr || *index < -count || *index >= count)
      throw UsageError(fmt::format("a tuple of {} is indexed by one whole number below {}", count, count));
    return tuple[static_cast<std::size_t>(*index < 0 ? *index + count : *index)];
  }

  IndexItem index_item(const Syntax& syntax) {
    if (std::holds_alternative<EllipsisSyntax>(syntax.detail)) return Ellipsis{};
    if (const auto* slice = std::get_if<SliceSyntax>(&syntax.detail)) {
      Slice result;
      result.start = bound(slice->start);
      result.stop = bound(slice->stop);
      result.step = bound(slice->step).value_or(1);
      return result;
    }
    const auto number = of(syntax);
    if (std::holds_alternative<NoValue>(number.held)) return NewAxis{};
    if (const auto* whole = std::get_if<std::int64_t>(&number.held)) return *whole;
    if (std::holds_alternative<Array>(number.held))
      refuse_at(syntax.span, "an array in an index", "to choose by a condition write where(condition, x, nan)");
    refuse_at(syntax.span, fmt::format("{} in an index", kind_of(number)),
              "an index takes whole numbers, slices like 1:9:2, '...' and newaxis");
  }

  std::optional<std::int64_t> bound(const SyntaxPtr& syntax) {
    if (!syntax) return std::nullopt;
    const auto number = of(*syntax);
    if (std::holds_alternative<NoValue>(number.held)) return std::nullopt;
    if (const auto* whole = std::get_if<std::int64_t>(&number.held)) return *whole;
    refuse_at(syntax->span, fmt::format("{} as the bound of a slice", kind_of(number)), "bounds are whole numbers");
  }

  const SourceText& source_;
  const FindName& find_;
  const std::vector<std::string>& known_;
  bool placed_ = false;  ///< the error on its way up has its place
};

}  // namespace

Value evaluate(const Syntax& syntax, const SourceText& source, const FindName& find,
               const std::vector<std::string>& known) {
  return Evaluator(source, find, known).of(syntax);
}

Array require_result(const Value& value, const SourceText& source) {
  if (std::holds_alternative<Array>(value.held) || is_number(value)) return require_array(value);
  refuse(source, {0, source.text.size()}, fmt::format("the expression is {}, not an array", kind_of(value)));
}

}  // namespace brim::lang
