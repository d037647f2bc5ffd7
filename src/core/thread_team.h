#pragma once

#include <functional>
#include <memory>

#include "brim/bytes.h"

namespace brim {

/// The threads that share one task: the calling one and as many others as were needed so far. They sleep between calls.
///
/// A fixed number of threads that exist before a task's memory limit is set, and that sleep without spinning: that is
/// why Boost.Asio's pool carries them and not oneTBB, which starts its threads when work comes.
class ThreadTeam {
 public:
  /// What one more thread holds: the part of its stack in use, and what libraries keep for each thread.
  static constexpr Bytes kThreadBytes = kibibytes(128);

  ThreadTeam();
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  /// Threads in all from now on, if there are fewer. Where the system refuses them the team stays as it is: run() then
  /// takes longer.
  void grow_to(int threads);
  /// Threads in all, the calling one included.
  int size() const { return size_; }

  /// Calls work(0) .. work(parts - 1), each once, part 0 in the calling thread; returns when all have ended. Throws
  /// what the first part that threw has thrown. Not to be called by two threads, nor from within `work`.
  void run(int parts, const std::function<void(int)>& work);

 private:
  struct Pool;
  std::unique_ptr<Pool> pool_;
  int size_ = 1;
};

}  // namespace brim
