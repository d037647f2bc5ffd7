#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "core/scratch.h"
#include "ops/op.h"
#include "pool/frames.h"
#include "pool/protocol.h"
#include "shm/chunk_arena.h"
#include "worker/block_pages.h"
#include "worker/grant_limit.h"
#include "worker/scratch_memory.h"
#include "worker/task_account.h"

namespace brim::worker {

using Archive = std::vector<std::byte>;

/// What a worker can do, from the archives that messages bring. The real one is brim_code().
struct WorkerCode {
  std::function<std::unique_ptr<ops::OpBody>(const Archive& op, const std::vector<Archive>& targets)> load_op;
  /// Returns the bytes moved.
  std::function<Bytes(const std::vector<Archive>& targets, Scratch& scratch)> assemble;
};

/// ops::load_op() and storage::assemble().
WorkerCode brim_code();

/// A worker's life between Ready and Stop: takes one message after the other and does what it says. Whatever a task
/// throws becomes a Failed message; the worker goes on.
class Loop {
 public:
  /// `socket` is the worker's end of its socket pair. The process as it is now is the idle worker. `view` may be null:
  /// then there are no blocks.
  Loop(int socket, const shm::ArenaView* view, WorkerCode code);

  /// Returns after Stop, and when the coordinator is gone. Throws InternalError for what is not a message.
  void run();

 private:
  struct Op {
    Archive archive;
    std::unique_ptr<ops::OpBody> body;  ///< built for the first task; again after one has failed
  };
  using Work = std::function<void(ops::TaskContext&)>;

  bool receive();
  void send(const pool::ToCoordinator& message);

  void handle(pool::Targets& message);
  void handle(pool::Define& message);
  void handle(pool::Run& message);
  void handle(pool::Assemble& message);
  void handle(pool::Trim& message);
  void handle(pool::Stop& message);

  void run_task(const pool::Run& task, ops::TaskContext& context);
  void grow_team(int threads);
  void hold_to(const pool::Grant& grant);
  /// Runs `work` inside the grant and measures it. Returns Done or Failed.
  pool::ToCoordinator perform(std::int64_t sequence, const pool::Grant& grant, const std::string& name,
                              const Work& work);

  int socket_;
  const shm::ArenaView* view_;
  WorkerCode code_;
  pool::OutgoingFrames outgoing_;
  pool::IncomingFrames incoming_;
  ProcessMemory memory_;
  ScratchMemory scratch_memory_;
  ThreadTeam team_;
  TaskAccount account_;
  GrantLimit limit_;
  std::optional<pool::Grant> last_grant_;  ///< that the limit was set for
  std::optional<BlockPages> pages_;
  std::vector<Archive> targets_;
  std::map<std::int32_t, Op> ops_;
  bool stopped_ = false;
};

}  // namespace brim::worker
