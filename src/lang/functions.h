#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/value.h"

namespace brim::lang {

struct Parameter {
  std::string name;
  void (*check)(const Value&);  ///< throws UsageError for what it does not take
  bool required = true;
};

/// The arguments of a call, in the order of the parameters; nothing where an optional one was left out.
using Arguments = std::vector<std::optional<Value>>;

/// A function of the expression language.
struct LanguageFunction {
  std::string name;
  std::vector<Parameter> parameters;
  std::function<Value(const Arguments&)> call;

  /// "clip(x, min=..., max=...)".
  std::string signature() const;
};

/// The function that other libraries know under a name that brim does not have ("arctan2" is atan2); empty when there
/// is none.
std::string_view find_familiar_function(std::string_view name);

/// Nothing for an unknown name.
const LanguageFunction* find_language_function(std::string_view name);
/// All of them, sorted by name.
const std::vector<LanguageFunction>& language_functions();

}  // namespace brim::lang
