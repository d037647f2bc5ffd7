#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "brim/bytes.h"
#include "pool/protocol.h"

namespace brim::pool {

using WorkerNumber = std::int32_t;

struct PoolOptions {
  std::string program;                 ///< brim::worker_program()
  std::vector<std::string> arguments;  ///< put before the pool's own
  int arena_descriptor = -1;           ///< shm::ChunkArena::descriptor(); -1: workers get no shared memory
  Bytes arena_capacity;
};

/// How a process ended.
struct ExitStatus {
  std::optional<int> code;    ///< of exit()
  std::optional<int> signal;  ///< that killed it; neither when somebody else has taken the status

  /// "exit status 3", "signal 9 (Killed)".
  std::string describe() const;
};

/// A worker process is gone and its memory is back with the system. Its tasks without an answer did not finish.
struct WorkerGone {
  ExitStatus status;
  bool asked = false;  ///< after stop() or kill()
  std::string reason;  ///< why the pool ended it, where it did: "it sent something that is not a message: ..."
};

/// A watched descriptor is readable.
struct DescriptorReady {
  int descriptor = -1;
};

using EventDetail = std::variant<Ready, Done, Failed, Trimmed, WorkerGone, DescriptorReady>;
struct Event {
  WorkerNumber worker = -1;  ///< -1 for DescriptorReady
  EventDetail detail;
};

/// The worker processes of a run as the coordinator sees them. No call ever waits for a worker, but wait() itself and
/// the time a dying process takes. Belongs to the thread that made it (a worker dies with the thread that started
/// it). Leaves the program's signal handlers alone and never raises SIGPIPE.
class Pool {
 public:
  using Duration = std::chrono::steady_clock::duration;

  explicit Pool(PoolOptions options);
  /// Kills and reaps every worker.
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  /// Starts a process under this number, which must not be in use. Its Ready event follows. Throws WorkerError.
  void start(WorkerNumber worker);
  /// Queues a message; wait() and flush() write. Messages to a worker that is gone are dropped: its WorkerGone is on
  /// its way or was given.
  void send(WorkerNumber worker, const ToWorker& message);
  /// Writes what the sockets take now.
  void flush();
  /// Flushes, waits for at least one event or until the timeout (none: for ever), and returns all that are there. The
  /// events of one worker are in the order it sent them; WorkerGone is its last, after every message it has written.
  /// Valid until the next call. Returns nothing at once when there is nothing to wait for, and may return early without
  /// events when a signal came.
  const std::vector<Event>& wait(std::optional<Duration> timeout);

  /// wait() also reports when this descriptor is readable, for as long as it is.
  void watch(int descriptor);
  void unwatch(int descriptor);

  /// Asks the worker to leave after what was sent before. WorkerGone follows.
  void stop(WorkerNumber worker);
  /// SIGKILL. WorkerGone follows.
  void kill(WorkerNumber worker);
  void kill_all();

  /// Workers that are not gone, in ascending order.
  std::vector<WorkerNumber> workers() const;
  /// Its process id; throws InternalError for a number not in use.
  std::int64_t pid(WorkerNumber worker) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace brim::pool
