#include <ctime>

#include <algorithm>
#include <chrono>
#include <thread>

#include "ops/op_body.h"

// Work without data, for tests and benchmarks of packing. Memory model: just the memory it was declared to touch.
namespace brim::ops {
namespace {

constexpr std::size_t kPageSize = 4096;

std::int64_t thread_cpu_nanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

void touch(std::span<std::byte> memory) {
  for (std::size_t at = 0; at < memory.size(); at += kPageSize)
    *static_cast<volatile std::byte*>(&memory[at]) = std::byte{1};
}

void burn(std::int64_t nanoseconds) {
  const auto end = thread_cpu_nanoseconds() + nanoseconds;
  while (thread_cpu_nanoseconds() < end) {
  }
}

class SyntheticBody final : public OpBody {
 public:
  explicit SyntheticBody(const Synthetic& synthetic) : synthetic_(synthetic) {}

  void run(TaskContext& context) override {
    const auto declared = std::min(synthetic_.memory, synthetic_.touched);
    touch_more(context, declared);
    if (synthetic_.cpu_nanoseconds > 0)
      context.team.run(context.threads, [&](int) { burn(synthetic_.cpu_nanoseconds / context.threads); });
    // Late, as a task finds out that goes on as its data tells it.
    touch_more(context, synthetic_.touched - declared);
    if (synthetic_.wait_nanoseconds > 0)
      std::this_thread::sleep_for(std::chrono::nanoseconds(synthetic_.wait_nanoseconds));
  }

 private:
  /// Not a multiple of the alignment: all of it, and no more than granted.
  static void touch_more(TaskContext& context, Bytes memory) {
    touch(context.scratch.take(memory.count() / Scratch::kAlignment * Scratch::kAlignment));
  }

  Synthetic synthetic_;
};

}  // namespace

std::unique_ptr<OpBody> make_synthetic(PhysicalOp op) {
  return std::make_unique<SyntheticBody>(std::get<Synthetic>(op.detail));
}

}  // namespace brim::ops
