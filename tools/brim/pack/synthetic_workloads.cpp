#include "pack/workloads.h"

// Sizes are shares of what tasks may hold in all. A task of two thirds runs alone with a third left beside it: a fixed
// pool for it has one worker.
namespace brim::tool {
namespace {

constexpr std::int64_t kMilliseconds = 1'000'000;

Bytes share(Bytes all, double part) {
  return Bytes(static_cast<std::int64_t>(static_cast<double>(all.count()) * part));
}

struct Tasks {
  std::int64_t count = 1;
  Bytes memory;
  std::int64_t cpu_milliseconds = 0;
  std::int64_t wait_milliseconds = 0;
};

Array tasks_of(const Tasks& tasks, std::vector<Array> after = {}) {
  return synthetic({.tasks = tasks.count,
                    .memory = tasks.memory,
                    .cpu_nanoseconds = tasks.cpu_milliseconds * kMilliseconds,
                    .wait_nanoseconds = tasks.wait_milliseconds * kMilliseconds,
                    .after = std::move(after)});
}

std::vector<Output> read_rechunk_reduce(Bytes all) {
  const auto read = tasks_of({24, share(all, 1.0 / 32), 20, 20});
  const auto rechunk = tasks_of({8, share(all, 2.0 / 3), 120}, {read});
  const auto elementwise = tasks_of({24, share(all, 1.0 / 16), 60}, {rechunk});
  return {discard(tasks_of({8, share(all, 1.0 / 16), 20}, {elementwise}))};
}

std::vector<Output> hungry_beside_lean(Bytes all) {
  return {discard(tasks_of({8, share(all, 2.0 / 3), 100})), discard(tasks_of({32, share(all, 1.0 / 16), 50}))};
}

std::vector<Output> staircase(Bytes all) {
  auto memory = share(all, 1.0 / 48);
  auto step = tasks_of({12, memory, 50});
  for (int doubling = 0; doubling < 5; ++doubling) {
    memory = memory * 2;
    step = tasks_of({12, memory, 50}, {step});
  }
  return {discard(step)};
}

std::vector<Output> declared_half(Bytes all) {
  return {discard(synthetic({.tasks = 48,
                             .memory = share(all, 1.0 / 8),
                             .touched = share(all, 1.0 / 4),
                             .cpu_nanoseconds = 40 * kMilliseconds}))};
}

std::vector<Output> tiny_beside_huge(Bytes all) {
  const auto tiny = synthetic({.tasks = 3000, .memory = share(all, 1.0 / 1024), .cpu_nanoseconds = kMilliseconds / 2});
  return {discard(tiny), discard(tasks_of({6, share(all, 2.0 / 3), 150}))};
}

}  // namespace

std::vector<PackWorkload> synthetic_workloads(Bytes task_memory) {
  const auto all = task_memory;
  return {
      {"b", "read, rechunk, elementwise, reduction", true, read_rechunk_reduce(all), all},
      {"f", "a hungry branch beside a lean one", true, hungry_beside_lean(all), all},
      {"g", "staircase: six ops that double", true, staircase(all), all},
      {"h", "tasks that wait for a remote store", true, {discard(tasks_of({256, share(all, 1.0 / 32), 2, 100}))}, all},
      {"i", "declared half of what it touches", true, declared_half(all), all},
      {"j", "3000 tiny tasks beside 6 huge ones", true, tiny_beside_huge(all), all},
      {"u", "uniform (control)", true, {discard(tasks_of({48, share(all, 1.0 / 8), 60}))}, all}};
}

}  // namespace brim::tool
