#pragma once

#include <array>
#include <csignal>

#include "brim/executor.h"

namespace brim::tool {

/// While it lives, Ctrl-C, a polite kill and the end of the terminal stop the run under way instead of the process.
/// One at a time.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  /// executor.run(plan), which such a signal ends with Cancelled; also one that came earlier, between runs.
  Report run(Executor& executor, const Plan& plan);
  /// Throws Cancelled when such a signal has come.
  void check() const;

 private:
  static constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, kSignals.size()> before_{};
};

}  // namespace brim::tool
