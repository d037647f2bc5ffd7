#include "plan/assembly.h"

#include <algorithm>
#include <map>
#include <string>

namespace brim::planning {

Bytes assembly_need(const std::vector<storage::OutputDataset>& datasets) {
  std::map<std::string, std::vector<storage::OutputDataset>> files;
  for (const auto& dataset : datasets) files[dataset.address.file].push_back(dataset);
  Bytes most;
  for (const auto& [file, members] : files) {
    const bool compressed = std::any_of(members.begin(), members.end(), [](const storage::OutputDataset& dataset) {
      return dataset.deflate_level > 0;
    });
    if (compressed) most = std::max(most, storage::assemble_scratch(members));
  }
  return most;
}

}  // namespace brim::planning
