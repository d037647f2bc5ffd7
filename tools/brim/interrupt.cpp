#include "interrupt.h"

#include <atomic>

#include "brim/error.h"

namespace brim::tool {
namespace {

// A signal handler has no other way to reach what it is to stop.
std::atomic<Executor*> running{nullptr};
std::atomic<bool> interrupted{false};

extern "C" void on_interrupt(int) {
  interrupted = true;
  if (auto* executor = running.load()) executor->cancel();
}

}  // namespace

InterruptGuard::InterruptGuard() {
  interrupted = false;
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], nullptr, &before_[i]);
    // nohup and shells in the background have their reasons to ignore one.
    if (before_[i].sa_handler == SIG_IGN) continue;
    struct sigaction action {};
    action.sa_handler = on_interrupt;
    sigaction(kSignals[i], &action, nullptr);
  }
}

InterruptGuard::~InterruptGuard() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
}

Report InterruptGuard::run(Executor& executor, const Plan& plan) {
  struct Registration {
    explicit Registration(Executor& executor) { running = &executor; }
    ~Registration() { running = nullptr; }
    Registration(const Registration&) = delete;
    Registration& operator=(const Registration&) = delete;
  };
  const Registration registration(executor);
  check();
  return executor.run(plan);
}

void InterruptGuard::check() const {
  if (interrupted) throw Cancelled("stopped on request");
}

}  // namespace brim::tool
