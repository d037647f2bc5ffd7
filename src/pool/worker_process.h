#pragma once

#include <sys/types.h>

#include "pool/descriptor.h"
#include "pool/pool.h"

namespace brim::pool {

/// One worker process and the coordinator's end of its socket. Killed and reaped at the end of its life, if not before.
class WorkerProcess {
 public:
  /// Throws WorkerError.
  explicit WorkerProcess(const PoolOptions& options);
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  int socket() const { return socket_.number(); }
  pid_t pid() const { return pid_; }
  void kill();
  /// Kills what is left of the process and waits for its end.
  ExitStatus reap();

 private:
  Descriptor socket_;
  Descriptor process_;  ///< a pidfd: never another process that got the same number; not on old kernels
  pid_t pid_ = -1;      ///< -1 after reap()
};

}  // namespace brim::pool
