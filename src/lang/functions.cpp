#include "lang/functions.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace brim::lang {
namespace {

using Unary = Array (*)(Operand);
using Binary = Array (*)(Operand, Operand);
using Reduce = Array (*)(const Array&, const ReduceOptions&);
using OfNumber = double (*)(double);

struct UnaryRow {
  const char* name;
  Unary function;
  OfNumber of_number;  ///< computes a lone number at once; null where arrays do it just as well
};

constexpr UnaryRow kUnary[] = {
    {"abs", &brim::abs, nullptr},           {"acos", &brim::acos, &std::acos},
    {"acosh", &brim::acosh, &std::acosh},   {"asin", &brim::asin, &std::asin},
    {"asinh", &brim::asinh, &std::asinh},   {"atan", &brim::atan, &std::atan},
    {"atanh", &brim::atanh, &std::atanh},   {"bitwise_invert", &bitwise_invert, nullptr},
    {"ceil", &brim::ceil, nullptr},         {"cos", &brim::cos, &std::cos},
    {"cosh", &brim::cosh, &std::cosh},      {"exp", &brim::exp, &std::exp},
    {"expm1", &brim::expm1, &std::expm1},   {"floor", &brim::floor, nullptr},
    {"isfinite", &brim::isfinite, nullptr}, {"isinf", &brim::isinf, nullptr},
    {"isnan", &brim::isnan, nullptr},       {"log", &brim::log, &std::log},
    {"log10", &brim::log10, &std::log10},   {"log1p", &brim::log1p, &std::log1p},
    {"log2", &brim::log2, &std::log2},      {"logical_not", &logical_not, nullptr},
    {"negative", &negative, nullptr},       {"positive", &positive, nullptr},
    {"round", &brim::round, nullptr},       {"sign", &sign, nullptr},
    {"signbit", &brim::signbit, nullptr},   {"sin", &brim::sin, &std::sin},
    {"sinh", &brim::sinh, &std::sinh},      {"sqrt", &brim::sqrt, &std::sqrt},
    {"square", &square, nullptr},           {"tan", &brim::tan, &std::tan},
    {"tanh", &brim::tanh, &std::tanh},      {"trunc", &brim::trunc, nullptr},
};

constexpr std::pair<const char*, Binary> kBinary[] = {
    {"add", &add},
    {"atan2", &brim::atan2},
    {"bitwise_and", &bitwise_and},
    {"bitwise_left_shift", &bitwise_left_shift},
    {"bitwise_or", &bitwise_or},
    {"bitwise_right_shift", &bitwise_right_shift},
    {"bitwise_xor", &bitwise_xor},
    {"copysign", &brim::copysign},
    {"divide", &divide},
    {"equal", &equal},
    {"floor_divide", &floor_divide},
    {"greater", &greater},
    {"greater_equal", &greater_equal},
    {"hypot", &brim::hypot},
    {"less", &less},
    {"less_equal", &less_equal},
    {"logaddexp", &logaddexp},
    {"logical_and", &logical_and},
    {"logical_or", &logical_or},
    {"logical_xor", &logical_xor},
    {"maximum", &maximum},
    {"minimum", &minimum},
    {"multiply", &multiply},
    {"not_equal", &not_equal},
    {"pow", &brim::pow},
    {"remainder", &brim::remainder},
    {"subtract", &subtract},
};

constexpr std::pair<const char*, Reduce> kReductions[] = {
    {"sum", &sum}, {"mean", &mean}, {"min", &brim::min}, {"max", &brim::max}};

std::optional<Operand> optional_operand(const std::optional<Value>& value) {
  if (!value || std::holds_alternative<NoValue>(value->held)) return std::nullopt;
  return require_operand(*value);
}

CreateOptions create_options(const std::optional<Value>& dtype, const std::optional<Value>& chunks) {
  CreateOptions options;
  if (dtype) options.dtype = require_dtype(*dtype);
  if (chunks) options.chunks = require_integers(*chunks);
  return options;
}

Value reduce(Reduce function, const Arguments& arguments) {
  ReduceOptions options;
  if (arguments[1] && !std::holds_alternative<NoValue>(arguments[1]->held)) {
    options.axis.emplace();
    for (const auto axis : require_integers(*arguments[1])) options.axis->push_back(static_cast<int>(axis));
  }
  if (arguments[2]) options.keepdims = require_bool(*arguments[2]);
  return {function(require_array(*arguments[0]), options)};
}

Value synthetic_work(const Arguments& arguments) {
  SyntheticOptions options;
  options.tasks = require_integer(*arguments[0]);
  options.memory = require_bytes(*arguments[1]);
  if (arguments[2]) options.cpu_nanoseconds = require_nanoseconds(*arguments[2]);
  if (arguments[3]) options.wait_nanoseconds = require_nanoseconds(*arguments[3]);
  if (arguments[4]) {
    if (const auto* several = std::get_if<Tuple>(&arguments[4]->held))
      for (const auto& one : *several) options.after.push_back(require_array(one));
    else
      options.after.push_back(require_array(*arguments[4]));
  }
  return {synthetic(options)};
}

void add_elementwise(std::vector<LanguageFunction>& table) {
  for (const auto& row : kUnary)
    table.push_back({row.name, {{"x"}}, [row](const Arguments& a) -> Value {
                       if (row.of_number != nullptr && is_number(*a[0])) return {row.of_number(require_number(*a[0]))};
                       return {row.function(require_operand(*a[0]))};
                     }});
  for (const auto& [name, function] : kBinary)
    table.push_back({name, {{"x1"}, {"x2"}}, [function = function](const Arguments& a) -> Value {
                       return {function(require_operand(*a[0]), require_operand(*a[1]))};
                     }});
  table.push_back({"where", {{"condition"}, {"x1"}, {"x2"}}, [](const Arguments& a) -> Value {
                     return {where(require_array(*a[0]), require_operand(*a[1]), require_operand(*a[2]))};
                   }});
  table.push_back({"clip", {{"x"}, {"min", false}, {"max", false}}, [](const Arguments& a) -> Value {
                     return {clip(require_operand(*a[0]), optional_operand(a[1]), optional_operand(a[2]))};
                   }});
  table.push_back({"astype", {{"x"}, {"dtype"}}, [](const Arguments& a) -> Value {
                     return {astype(require_array(*a[0]), require_dtype(*a[1]))};
                   }});
}

void add_creation(std::vector<LanguageFunction>& table) {
  table.push_back(
      {"full", {{"shape"}, {"value"}, {"dtype", false}, {"chunks", false}}, [](const Arguments& a) -> Value {
         return {full(require_integers(*a[0]), require_operand(*a[1]), create_options(a[2], a[3]))};
       }});
  table.push_back({"zeros", {{"shape"}, {"dtype", false}, {"chunks", false}}, [](const Arguments& a) -> Value {
                     return {zeros(require_integers(*a[0]), create_options(a[1], a[2]))};
                   }});
  table.push_back({"ones", {{"shape"}, {"dtype", false}, {"chunks", false}}, [](const Arguments& a) -> Value {
                     return {ones(require_integers(*a[0]), create_options(a[1], a[2]))};
                   }});
  table.push_back({"arange",
                   {{"start"}, {"stop", false}, {"step", false}, {"dtype", false}, {"chunks", false}},
                   [](const Arguments& a) -> Value {
                     return {arange(require_operand(*a[0]), optional_operand(a[1]),
                                    a[2] ? require_operand(*a[2]) : Operand(1), create_options(a[3], a[4]))};
                   }});
  table.push_back({"linspace",
                   {{"start"}, {"stop"}, {"num"}, {"endpoint", false}, {"dtype", false}, {"chunks", false}},
                   [](const Arguments& a) -> Value {
                     return {linspace(require_number(*a[0]), require_number(*a[1]), require_integer(*a[2]),
                                      !a[3] || require_bool(*a[3]), create_options(a[4], a[5]))};
                   }});
  table.push_back(
      {"synthetic", {{"tasks"}, {"memory"}, {"cpu", false}, {"wait", false}, {"after", false}}, synthetic_work});
}

std::vector<LanguageFunction> make_table() {
  std::vector<LanguageFunction> table;
  add_elementwise(table);
  add_creation(table);
  for (const auto& [name, function] : kReductions)
    table.push_back({name, {{"x"}, {"axis", false}, {"keepdims", false}}, [function = function](const Arguments& a) {
                       return reduce(function, a);
                     }});
  std::sort(table.begin(), table.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return table;
}

}  // namespace

std::string LanguageFunction::signature() const {
  std::string text = name + "(";
  for (std::size_t i = 0; i < parameters.size(); ++i)
    text += (i == 0 ? "" : ", ") + parameters[i].name + (parameters[i].required ? "" : "=...");
  return text + ")";
}

const std::vector<LanguageFunction>& language_functions() {
  static const std::vector<LanguageFunction> table = make_table();
  return table;
}

const LanguageFunction* find_language_function(std::string_view name) {
  const auto& table = language_functions();
  const auto found =
      std::lower_bound(table.begin(), table.end(), name,
                       [](const LanguageFunction& row, std::string_view wanted) { return row.name < wanted; });
  return found != table.end() && found->name == name ? &*found : nullptr;
}

}  // namespace brim::lang
