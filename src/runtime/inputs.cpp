#include "runtime/inputs.h"

#include <map>
#include <string>

#include "core/archive.h"
#include "storage/output.h"
#include "storage/source.h"

namespace brim::runtime {
namespace {

/// Every file that is read, with one of the data sets in it.
std::map<std::string, const storage::Source*> sources_of(const PhysicalPlan& plan) {
  std::map<std::string, const storage::Source*> sources;
  for (const auto& op : plan.ops) {
    const auto* traversal = std::get_if<ops::Traversal>(&op.detail);
    if (traversal == nullptr) continue;
    for (const auto& input : traversal->inputs)
      if (const auto* from = std::get_if<ops::DatasetInput>(&input.from))
        sources.emplace(from->source.info.address.file, &from->source);
  }
  return sources;
}

/// FNV-1a.
std::uint64_t checksum(const std::vector<std::byte>& bytes) {
  std::uint64_t sum = 0xCBF29CE484222325U;
  for (const auto byte : bytes) sum = (sum ^ static_cast<std::uint64_t>(byte)) * 0x100000001B3U;
  return sum;
}

}  // namespace

void require_unchanged_inputs(const PhysicalPlan& plan) {
  for (const auto& [file, source] : sources_of(plan)) storage::require_unchanged(*source);
}

storage::RunIdentity identity_of(const PhysicalPlan& plan) {
  ArchiveWriter inputs;
  for (const auto& [file, source] : sources_of(plan)) {
    inputs.put(file);
    inputs.put(source->stamp.size);
    inputs.put(source->stamp.modified_nanoseconds);
    inputs.put(source->stamp.inode);
  }
  ArchiveWriter whole;
  for (const auto& op : plan.ops) op.put(whole);
  for (const auto& dataset : plan.datasets) storage::OutputTarget{dataset, {}, {}, {}, 0}.put(whole);
  return {checksum(whole.take()), checksum(inputs.take())};
}

}  // namespace brim::runtime
