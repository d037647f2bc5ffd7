#include "lang/functions.h"

#include <algorithm>
#include <utility>

#include "lang/number_functions.h"

namespace brim::lang {
namespace {

using Unary = Array (*)(Operand);
using Binary = Array (*)(Operand, Operand);
using Reduce = Array (*)(const Array&, const ReduceOptions&);

constexpr std::pair<const char*, Unary> kUnary[] = {
    {"abs", &brim::abs},           {"acos", &brim::acos},
    {"acosh", &brim::acosh},       {"asin", &brim::asin},
    {"asinh", &brim::asinh},       {"atan", &brim::atan},
    {"atanh", &brim::atanh},       {"bitwise_invert", &bitwise_invert},
    {"ceil", &brim::ceil},         {"cos", &brim::cos},
    {"cosh", &brim::cosh},         {"exp", &brim::exp},
    {"expm1", &brim::expm1},       {"floor", &brim::floor},
    {"isfinite", &brim::isfinite}, {"isinf", &brim::isinf},
    {"isnan", &brim::isnan},       {"log", &brim::log},
    {"log10", &brim::log10},       {"log1p", &brim::log1p},
    {"log2", &brim::log2},         {"logical_not", &logical_not},
    {"negative", &negative},       {"positive", &positive},
    {"round", &brim::round},       {"sign", &sign},
    {"signbit", &brim::signbit},   {"sin", &brim::sin},
    {"sinh", &brim::sinh},         {"sqrt", &brim::sqrt},
    {"square", &square},           {"tan", &brim::tan},
    {"tanh", &brim::tanh},         {"trunc", &brim::trunc},
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

/// The check of a parameter whose value is what Require makes of it.
template <auto Require>
void takes(const Value& value) {
  (void)Require(value);
}

constexpr auto kOperand = takes<require_operand>;
constexpr auto kArray = takes<require_array>;
constexpr auto kInteger = takes<require_integer>;
constexpr auto kIntegers = takes<require_integers>;
constexpr auto kNumber = takes<require_number>;
constexpr auto kBool = takes<require_bool>;
constexpr auto kDType = takes<require_dtype>;
constexpr auto kBytes = takes<require_bytes>;
constexpr auto kTime = takes<require_nanoseconds>;
constexpr auto kArrays = takes<require_arrays>;
constexpr auto kAxes = takes<require_axes>;

std::optional<Operand> optional_operand(const std::optional<Value>& value) {
  return value ? std::optional(require_operand(*value)) : std::nullopt;
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
  if (arguments[4]) options.after = require_arrays(*arguments[4]);
  if (arguments[5]) options.touched = require_bytes(*arguments[5]);
  return {synthetic(options)};
}

void add_elementwise(std::vector<LanguageFunction>& table) {
  for (const auto& [name, function] : kUnary)
    table.push_back({name, {{"x", kOperand}}, [name = name, function = function](const Arguments& a) -> Value {
                       auto number = find_number_value(name, {*a[0]});
                       if (is_number(number)) return number;
                       return {function(require_operand(*a[0]))};
                     }});
  for (const auto& [name, function] : kBinary)
    table.push_back(
        {name, {{"x1", kOperand}, {"x2", kOperand}}, [name = name, function = function](const Arguments& a) -> Value {
           auto number = find_number_value(name, {*a[0], *a[1]});
           if (is_number(number)) return number;
           return {function(require_operand(*a[0]), require_operand(*a[1]))};
         }});
  table.push_back(
      {"where", {{"condition", kArray}, {"x1", kOperand}, {"x2", kOperand}}, [](const Arguments& a) -> Value {
         return {where(require_array(*a[0]), require_operand(*a[1]), require_operand(*a[2]))};
       }});
  table.push_back(
      {"clip", {{"x", kOperand}, {"min", kOperand, false}, {"max", kOperand, false}}, [](const Arguments& a) -> Value {
         return {clip(require_operand(*a[0]), optional_operand(a[1]), optional_operand(a[2]))};
       }});
  table.push_back({"astype", {{"x", kArray}, {"dtype", kDType}}, [](const Arguments& a) -> Value {
                     return {astype(require_array(*a[0]), require_dtype(*a[1]))};
                   }});
}

void add_creation(std::vector<LanguageFunction>& table) {
  const Parameter dtype{"dtype", kDType, false};
  const Parameter chunks{"chunks", kIntegers, false};
  table.push_back({"full", {{"shape", kIntegers}, {"value", kNumber}, dtype, chunks}, [](const Arguments& a) -> Value {
                     return {full(require_integers(*a[0]), require_operand(*a[1]), create_options(a[2], a[3]))};
                   }});
  table.push_back({"zeros", {{"shape", kIntegers}, dtype, chunks}, [](const Arguments& a) -> Value {
                     return {zeros(require_integers(*a[0]), create_options(a[1], a[2]))};
                   }});
  table.push_back({"ones", {{"shape", kIntegers}, dtype, chunks}, [](const Arguments& a) -> Value {
                     return {ones(require_integers(*a[0]), create_options(a[1], a[2]))};
                   }});
  table.push_back({"arange",
                   {{"start", kNumber}, {"stop", kNumber, false}, {"step", kNumber, false}, dtype, chunks},
                   [](const Arguments& a) -> Value {
                     return {arange(require_operand(*a[0]), optional_operand(a[1]),
                                    a[2] ? require_operand(*a[2]) : Operand(1), create_options(a[3], a[4]))};
                   }});
  table.push_back(
      {"linspace",
       {{"start", kNumber}, {"stop", kNumber}, {"num", kInteger}, {"endpoint", kBool, false}, dtype, chunks},
       [](const Arguments& a) -> Value {
         return {linspace(require_number(*a[0]), require_number(*a[1]), require_integer(*a[2]),
                          !a[3] || require_bool(*a[3]), create_options(a[4], a[5]))};
       }});
  table.push_back({"synthetic",
                   {{"tasks", kInteger},
                    {"memory", kBytes},
                    {"cpu", kTime, false},
                    {"wait", kTime, false},
                    {"after", kArrays, false},
                    {"touched", kBytes, false}},
                   synthetic_work});
}

std::vector<LanguageFunction> make_table() {
  std::vector<LanguageFunction> table;
  add_elementwise(table);
  add_creation(table);
  for (const auto& [name, function] : kReductions)
    table.push_back({name,
                     {{"x", kArray}, {"axis", kAxes, false}, {"keepdims", kBool, false}},
                     [function = function](const Arguments& a) { return reduce(function, a); }});
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

std::string_view find_familiar_function(std::string_view name) {
  static constexpr std::pair<std::string_view, std::string_view> kFamiliar[] = {
      {"absolute", "abs"},
      {"arccos", "acos"},
      {"arccosh", "acosh"},
      {"arcsin", "asin"},
      {"arcsinh", "asinh"},
      {"arctan", "atan"},
      {"arctan2", "atan2"},
      {"arctanh", "atanh"},
      {"average", "mean"},
      {"cast", "astype"},
      {"fabs", "abs"},
      {"float32", "astype"},
      {"float64", "astype"},
      {"fmod", "remainder"},
      {"if", "where"},
      {"ifelse", "where"},
      {"int32", "astype"},
      {"int64", "astype"},
      {"invert", "bitwise_invert"},
      {"left_shift", "bitwise_left_shift"},
      {"ln", "log"},
      {"mod", "remainder"},
      {"power", "pow"},
      {"right_shift", "bitwise_right_shift"},
      {"rint", "round"},
      {"select", "where"},
      {"true_divide", "divide"},
  };
  for (const auto& [other, own] : kFamiliar)
    if (other == name) return own;
  return {};
}

const LanguageFunction* find_language_function(std::string_view name) {
  const auto& table = language_functions();
  const auto found =
      std::lower_bound(table.begin(), table.end(), name,
                       [](const LanguageFunction& row, std::string_view wanted) { return row.name < wanted; });
  return found != table.end() && found->name == name ? &*found : nullptr;
}

}  // namespace brim::lang
