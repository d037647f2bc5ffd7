#include "worker/fake_code.h"

#include <unistd.h>

#include <cstdlib>
#include <numeric>
#include <sstream>

namespace brim::worker {
namespace {

constexpr std::size_t kPage = 4096;

void touch(std::span<std::byte> memory) {
  for (std::size_t i = 0; i < memory.size(); i += kPage) {
    volatile std::byte& byte = memory[i];
    byte = std::byte{1};
  }
}

std::span<std::byte> allocate(std::size_t count) {
  auto* memory = static_cast<std::byte*>(std::malloc(count));
  if (memory == nullptr) throw std::bad_alloc();
  touch({memory, count});
  return {memory, count};
}

[[noreturn]] void throw_kind(const std::string& kind) {
  if (kind == "memory") throw MemoryError("no room", "make some");
  if (kind == "storage") throw StorageError("bad file", "look there");
  if (kind == "standard") throw std::runtime_error("something else");
  throw 42;
}

void copy(ops::TaskContext& context) {
  for (std::size_t i = 0; i < context.output.size(); ++i) {
    const auto value = context.inputs.empty() ? std::byte{0} : context.inputs[0][i];
    context.output[i] = static_cast<std::byte>(std::to_integer<int>(value) + 1);
  }
}

void read(ops::TaskContext& context) {
  volatile int sum = 0;
  for (const auto input : context.inputs)
    for (std::size_t i = 0; i < input.size(); i += kPage) sum = sum + std::to_integer<int>(input[i]);
}

void run_step(const std::string& step, ops::TaskContext& context) {
  std::istringstream words(step);
  std::string verb;
  std::string argument;
  words >> verb >> argument;
  const auto count = std::strtoll(argument.c_str(), nullptr, 10);
  if (verb == "touch") touch(context.scratch.take(count));
  if (verb == "take") context.scratch.take(count);
  if (verb == "allocate") std::free(allocate(static_cast<std::size_t>(count)).data());
  if (verb == "keep") allocate(static_cast<std::size_t>(count));
  if (verb == "copy") copy(context);
  if (verb == "read") read(context);
  if (verb == "throw") throw_kind(argument);
  if (verb == "abort") std::abort();
  if (verb == "sleep")
    for (;;) pause();
  context.bytes_read += Bytes(3);
  context.bytes_written += Bytes(4);
}

class FakeOp : public ops::OpBody {
 public:
  explicit FakeOp(std::string text) : text_(std::move(text)) {}
  void run(ops::TaskContext& context) override {
    std::istringstream steps(text_);
    for (std::string step; std::getline(steps, step, ';');) run_step(step, context);
  }

 private:
  std::string text_;
};

}  // namespace

WorkerCode fake_code() {
  WorkerCode code;
  code.load_op = [](const Archive& op, const std::vector<Archive>& targets) -> std::unique_ptr<ops::OpBody> {
    const std::string text(reinterpret_cast<const char*>(op.data()), op.size());
    if (text == "load-fails") throw StorageError("no such op, targets " + std::to_string(targets.size()));
    return std::make_unique<FakeOp>(text);
  };
  code.assemble = [](const std::vector<Archive>& targets, Scratch& scratch) {
    touch(scratch.take(1000));
    return Bytes(static_cast<std::int64_t>(targets.size()));
  };
  return code;
}

}  // namespace brim::worker
