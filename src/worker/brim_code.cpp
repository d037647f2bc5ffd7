#include "core/archive.h"
#include "storage/output.h"
#include "worker/loop.h"

namespace brim::worker {
namespace {

std::vector<storage::OutputTarget> read_targets(const std::vector<Archive>& archives) {
  std::vector<storage::OutputTarget> targets;
  for (const auto& bytes : archives) {
    ArchiveReader archive(bytes);
    targets.push_back(storage::OutputTarget::get(archive));
  }
  return targets;
}

}  // namespace

WorkerCode brim_code() {
  WorkerCode code;
  code.load_op = [](const Archive& op, const std::vector<Archive>& targets) {
    ArchiveReader archive(op);
    return ops::load_op(archive, read_targets(targets));
  };
  code.assemble = [](const std::vector<Archive>& targets, Scratch& scratch) {
    return storage::assemble(read_targets(targets), scratch);
  };
  return code;
}

}  // namespace brim::worker
