#include "runtime/inputs.h"

#include <set>
#include <string>

#include "storage/source.h"

namespace brim::runtime {

void require_unchanged_inputs(const PhysicalPlan& plan) {
  std::set<std::string> seen;
  for (const auto& op : plan.ops) {
    const auto* traversal = std::get_if<ops::Traversal>(&op.detail);
    if (traversal == nullptr) continue;
    for (const auto& input : traversal->inputs) {
      const auto* from = std::get_if<ops::DatasetInput>(&input.from);
      if (from != nullptr && seen.insert(from->source.info.address.file).second)
        storage::require_unchanged(from->source);
    }
  }
}

}  // namespace brim::runtime
