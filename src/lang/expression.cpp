#include "brim/workload.h"
#include "lang/evaluate.h"
#include "lang/functions.h"

namespace brim {

Array evaluate(const std::string& expression, const std::map<std::string, Array>& names, const std::string& source) {
  const lang::SourceText text{expression, source, 1, 1};
  const auto syntax = lang::parse(text);
  std::vector<std::string> known;
  known.reserve(names.size());
  for (const auto& [name, array] : names) known.push_back(name);
  const auto value = lang::evaluate(
      *syntax, text,
      [&](const std::string& name) {
        const auto found = names.find(name);
        return found == names.end() ? std::nullopt : std::optional<Array>(found->second);
      },
      known);
  return lang::require_result(value, text);
}

std::string language_help() {
  std::string text;
  for (const auto& function : lang::language_functions()) text += function.signature() + "\n";
  return text;
}

}  // namespace brim
