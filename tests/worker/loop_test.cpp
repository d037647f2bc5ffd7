#include "worker/loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

#include "pool/pool.h"
#include "shm/poison.h"
#include "worker/fake_code.h"

namespace brim::worker {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using namespace std::chrono_literals;

constexpr auto kDeadline = 60s;
constexpr Bytes kArena = mebibytes(64);
/// What the kernel's counters and allocators may be off by.
constexpr Bytes kTolerance = mebibytes(1);

/// An amount of private memory is not too high. Not under AddressSanitizer, which keeps what was freed.
void expect_at_most(Bytes amount, Bytes bound) {
  if (shm::kAddressSanitizer) return;
  EXPECT_LE(amount, bound) << to_string(amount) << " > " << to_string(bound);
}

/// A pool of one real worker process with made-up ops, and an arena.
class Worker : public testing::Test {
 protected:
  Worker() : arena_(kArena), pool_(options()), view_(arena_.descriptor(), arena_.capacity()) {
    pool_.start(0);
    ready_ = next<pool::Ready>();
  }

  template <typename Detail>
  Detail next() {
    const auto end = std::chrono::steady_clock::now() + kDeadline;
    while (std::chrono::steady_clock::now() < end) {
      for (const auto& event : pool_.wait(1s)) events_.push_back(event);
      for (auto event = events_.begin(); event != events_.end(); ++event) {
        if (!std::holds_alternative<Detail>(event->detail)) continue;
        auto detail = std::get<Detail>(event->detail);
        events_.erase(event);
        return detail;
      }
    }
    ADD_FAILURE() << "nothing happened in time";
    return {};
  }

  void define(std::int32_t op, const std::string& text) { pool_.send(0, pool::Define{op, archive_of(text)}); }

  pool::Run task(std::int32_t op, Bytes scratch = {}, Bytes library = {}) {
    pool::Run run;
    run.sequence = ++sequence_;
    run.op = op;
    run.task_index = 100 + sequence_;
    run.grant = {scratch, library};
    return run;
  }

  pool::TaskUsage run(const pool::Run& task) {
    pool_.send(0, task);
    const auto done = next<pool::Done>();
    EXPECT_EQ(done.sequence, task.sequence);
    return done.usage;
  }
  pool::TaskUsage run(const std::string& text, Bytes scratch = {}, Bytes library = {}) {
    define(0, text);
    return run(task(0, scratch, library));
  }
  pool::Failed fail(const std::string& text, Bytes scratch = {}, Bytes library = {}) {
    define(0, text);
    const auto failing = task(0, scratch, library);
    pool_.send(0, failing);
    auto failed = next<pool::Failed>();
    EXPECT_EQ(failed.sequence, failing.sequence);
    return failed;
  }

  Bytes worker_rss() {
    std::ifstream file("/proc/" + std::to_string(pool_.pid(0)) + "/statm");
    std::int64_t size = 0;
    std::int64_t resident = 0;
    file >> size >> resident;
    return Bytes(resident * 4096);
  }

  shm::ChunkArena arena_;
  pool::Pool pool_;
  shm::ArenaView view_;
  pool::Ready ready_;
  std::vector<pool::Event> events_;
  std::int64_t sequence_ = 0;

 private:
  pool::PoolOptions options() {
    pool::PoolOptions options;
    options.program = std::filesystem::read_symlink("/proc/self/exe").string();
    options.arena_descriptor = arena_.descriptor();
    options.arena_capacity = arena_.capacity();
    return options;
  }
};

TEST_F(Worker, RunsTasksOverSharedBlocks) {
  define(1, "copy");
  auto first = task(1);
  first.output = arena_.allocate(Bytes(100'000));
  run(first);
  auto second = task(1);
  second.inputs = {first.output};
  second.output = arena_.allocate(Bytes(100'000));
  const auto usage = run(second);
  const auto result = view_.span(second.output);
  EXPECT_TRUE(std::all_of(result.begin(), result.end(), [](std::byte byte) { return byte == std::byte{2}; }));
  EXPECT_EQ(usage.bytes_read, Bytes(3));
  EXPECT_EQ(usage.bytes_written, Bytes(4));
  EXPECT_GE(usage.end_ns, usage.start_ns);
  EXPECT_EQ(usage.measured, Bytes(0)) << "shared memory is on the coordinator's account";
}

TEST_F(Worker, ReadyTellsWhatAnIdleWorkerHolds) {
  EXPECT_EQ(ready_.pid, pool_.pid(0));
  EXPECT_GT(ready_.rss, mebibytes(1));
  EXPECT_LE(ready_.rss, worker_rss() + kTolerance);
}

TEST_F(Worker, EveryKindOfExceptionBecomesAFailureAndTheWorkerGoesOn) {
  auto failed = fail("throw storage");
  EXPECT_EQ(failed.error.kind, ErrorKind::kStorage);
  EXPECT_EQ(failed.error.what, "bad file");
  EXPECT_EQ(failed.error.hint, "look there");
  EXPECT_THAT(failed.error.context, ElementsAre("task 101 of op 0"));
  EXPECT_FALSE(failed.memory);

  failed = fail("throw memory");
  EXPECT_EQ(failed.error.kind, ErrorKind::kMemory);
  EXPECT_TRUE(failed.memory);

  failed = fail("throw standard");
  EXPECT_EQ(failed.error.kind, ErrorKind::kInternal);
  EXPECT_EQ(failed.error.what, "something else");

  failed = fail("throw alien");
  EXPECT_EQ(failed.error.kind, ErrorKind::kInternal);

  pool_.send(0, pool::Targets{{archive_of("a"), archive_of("b")}});
  failed = fail("load-fails");
  EXPECT_EQ(failed.error.what, "no such op, targets 2");

  run("nothing");
}

TEST_F(Worker, MistakesOfTheCoordinatorAreFailuresToo) {
  pool_.send(0, task(77));
  EXPECT_EQ(next<pool::Failed>().error.kind, ErrorKind::kInternal);
  define(1, "read");
  auto outside = task(1);
  outside.inputs = {{arena_.capacity().count() - 4096, Bytes(8192)}};
  pool_.send(0, outside);
  EXPECT_EQ(next<pool::Failed>().error.kind, ErrorKind::kInternal);
  run("nothing");
}

TEST_F(Worker, ScratchBeyondTheGrantIsAMemoryFailure) {
  const auto failed = fail("take 8193", Bytes(8192));
  EXPECT_TRUE(failed.memory);
  EXPECT_EQ(failed.error.kind, ErrorKind::kMemory);
  EXPECT_EQ(run("take 8192", Bytes(8192)).scratch_peak, Bytes(8192));
}

TEST_F(Worker, MemoryBeyondTheGrantIsRefusedByTheSystem) {
  if (shm::kAddressSanitizer) GTEST_SKIP() << "sanitizers need memory of their own";
  const auto failed = fail("allocate 67108864", mebibytes(1), mebibytes(8));
  EXPECT_TRUE(failed.memory);
  EXPECT_THAT(failed.error.what, HasSubstr("1 MiB"));
  EXPECT_THAT(failed.error.what, HasSubstr("8 MiB"));
  // The same with a larger grant, and the limit does not stick to the next.
  run("allocate 67108864", mebibytes(1), mebibytes(64));
  EXPECT_TRUE(fail("allocate 67108864", mebibytes(1), mebibytes(8)).memory);
}

TEST_F(Worker, ScratchKeptFromABiggerTaskDoesNotLeaveRoomForOthers) {
  if (shm::kAddressSanitizer) GTEST_SKIP() << "sanitizers need memory of their own";
  run("touch 67108864", mebibytes(64));
  EXPECT_TRUE(fail("allocate 33554432", mebibytes(1), mebibytes(8)).memory);
}

TEST_F(Worker, TheMeasuredPeakOfScratchIsWhatWasTouched) {
  const auto usage = run("touch 33554432", mebibytes(40));
  EXPECT_EQ(usage.scratch_peak, mebibytes(32));
  EXPECT_GE(usage.measured, mebibytes(32));
  expect_at_most(usage.measured, mebibytes(32) + kTolerance);
  EXPECT_GE(usage.held + pool::kIdleHeadroom + kTolerance, mebibytes(32));
  EXPECT_GT(usage.minor_faults, 0);
}

TEST_F(Worker, TheMeasuredPeakCountsWhatLibrariesAllocatedAndFreedBeyondTheirShare) {
  const auto share = mebibytes(36);
  const auto usage = run("touch 8388608;allocate 33554432", mebibytes(8), share);
  EXPECT_GE(usage.measured + share + pool::kIdleHeadroom + kTolerance, mebibytes(40));
  EXPECT_EQ(usage.measured, mebibytes(8)) << "the share is the worker's, not the task's";
  expect_at_most(usage.held, mebibytes(8) + kTolerance);
}

TEST_F(Worker, ScratchThatABiggerTaskHasLeftIsNotMeasuredAgain) {
  run("touch 50331648", mebibytes(48));
  const auto quiet = run("touch 4194304", mebibytes(48));
  EXPECT_GE(quiet.measured, mebibytes(4));
  expect_at_most(quiet.measured, mebibytes(4) + kTolerance);
  const auto busy = run("touch 4194304;allocate 16777216", mebibytes(48), mebibytes(20));
  EXPECT_GT(busy.minor_faults, 0);
  EXPECT_GE(busy.measured, mebibytes(4));
  expect_at_most(busy.measured, mebibytes(20) + kTolerance);
  EXPECT_GE(busy.held + mebibytes(20) + pool::kIdleHeadroom + kTolerance, mebibytes(48)) << "but it is still there";
}

TEST_F(Worker, TheMeasuredPeakDoesNotStickToLaterTasks) {
  run("allocate 50331648", {}, mebibytes(64));
  expect_at_most(run("nothing", {}, mebibytes(64)).measured, kTolerance);
  expect_at_most(run("allocate 1048576", {}, mebibytes(64)).measured, kTolerance);
}

TEST_F(Worker, MemoryThatATaskLeftInTheProcessIsCountedInTheNext) {
  run("keep 33554432", {}, mebibytes(40));
  // The library's share is smaller now: what lies there beyond it is the task's problem.
  const auto usage = run("nothing", {}, mebibytes(8));
  EXPECT_GE(usage.measured + mebibytes(8) + pool::kIdleHeadroom + kTolerance, mebibytes(32));
  EXPECT_GE(usage.held + mebibytes(8) + pool::kIdleHeadroom + kTolerance, mebibytes(32));
}

TEST_F(Worker, BlocksMappedDuringATaskAreNotMeasuredAsPrivate) {
  define(1, "copy");
  define(2, "read;allocate 1048576");
  auto write = task(1);
  write.output = arena_.allocate(mebibytes(32));
  expect_at_most(run(write).measured, kTolerance);
  // Memory that this worker has not mapped yet, filled by another process.
  auto read = task(2, {}, mebibytes(2));
  read.inputs = {arena_.allocate(mebibytes(24))};
  const auto memory = view_.span(read.inputs[0]);
  std::fill(memory.begin(), memory.end(), std::byte{1});
  expect_at_most(run(read).measured, kTolerance);
}

TEST_F(Worker, EqualTasksTakeNoPageFaultsInTheSteadyState) {
  if (shm::kAddressSanitizer) GTEST_SKIP() << "sanitizers fault for themselves";
  define(1, "touch 8388608;copy");
  auto work = task(1, mebibytes(8));
  work.inputs = {arena_.allocate(mebibytes(4))};
  work.output = arena_.allocate(mebibytes(4));
  for (int i = 0; i < 3; ++i) {
    work.sequence = ++sequence_;
    run(work);
  }
  constexpr int kTasks = 20;
  std::int64_t faults = 0;
  for (int i = 0; i < kTasks; ++i) {
    work.sequence = ++sequence_;
    faults += run(work).minor_faults;
  }
  const auto pages = mebibytes(16).count() / 4096;
  EXPECT_LT(faults * 100, kTasks * pages) << "1% of the pages";
}

TEST_F(Worker, TrimGivesScratchMemoryBack) {
  run("touch 67108864", mebibytes(64));
  const auto before = worker_rss();
  pool_.send(0, pool::Trim{mebibytes(16)});
  const auto held = next<pool::Trimmed>().held;
  expect_at_most(held, mebibytes(16));
  EXPECT_LE(worker_rss(), before - mebibytes(40));
  pool_.send(0, pool::Trim{Bytes(0)});
  expect_at_most(next<pool::Trimmed>().held, Bytes(0));
  expect_at_most(worker_rss(), ready_.rss + pool::kIdleHeadroom);
  EXPECT_GE(run("touch 67108864", mebibytes(64)).measured, mebibytes(64)) << "and takes it again";
}

TEST_F(Worker, AssemblesOutputFiles) {
  pool_.send(0, pool::Assemble{9, {archive_of("a"), archive_of("b")}, {Bytes(4096), Bytes(0)}});
  const auto done = next<pool::Done>();
  EXPECT_EQ(done.sequence, 9);
  EXPECT_EQ(done.usage.bytes_written, Bytes(2));
  EXPECT_EQ(done.usage.scratch_peak, Bytes(1024));
}

TEST_F(Worker, ACrashInATaskIsALostWorkerWithItsSignal) {
  define(0, "abort");
  pool_.send(0, task(0));
  EXPECT_EQ(next<pool::WorkerGone>().status.signal, SIGABRT);
}

TEST_F(Worker, KilledInATaskItsBlocksStayUsableByTheNext) {
  define(0, "copy;sleep");
  auto interrupted = task(0);
  interrupted.output = arena_.allocate(Bytes(4096));
  pool_.send(0, interrupted);
  pool_.flush();
  const auto output = view_.span(interrupted.output);
  const volatile std::byte& last = output.back();
  const auto end = std::chrono::steady_clock::now() + kDeadline;
  while (last != std::byte{1} && std::chrono::steady_clock::now() < end) usleep(100);
  ::kill(static_cast<pid_t>(pool_.pid(0)), SIGKILL);
  EXPECT_EQ(next<pool::WorkerGone>().status.signal, SIGKILL);
  pool_.start(0);
  define(0, "copy");
  auto again = interrupted;
  again.inputs = {interrupted.output};
  again.output = arena_.allocate(Bytes(4096));
  run(again);
  EXPECT_EQ(view_.span(again.output)[0], std::byte{2});
}

TEST_F(Worker, ATerminalsSignalsDoNotReachIt) {
  const auto pid = static_cast<pid_t>(pool_.pid(0));
  EXPECT_NE(getpgid(pid), getpgrp());
  for (const int number : {SIGINT, SIGHUP, SIGQUIT}) ::kill(pid, number);
  run("nothing");
}

TEST(WorkerLoop, WhatIsNoMessageEndsIt) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  const std::string garbage = "\xff\xff\xff\xff garbage";
  ASSERT_EQ(write(ends[0], garbage.data(), garbage.size()), static_cast<ssize_t>(garbage.size()));
  EXPECT_THROW(Loop(ends[1], nullptr, fake_code()).run(), InternalError);
  close(ends[0]);
  close(ends[1]);
}

TEST(WorkerLoop, EndsWhenTheCoordinatorIsGone) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  close(ends[0]);
  Loop(ends[1], nullptr, fake_code()).run();
  close(ends[1]);
}

/// Running, not a zombie that waits for somebody's init.
bool is_alive(std::int64_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string stat;
  std::getline(file, stat);
  const auto name_end = stat.rfind(')');
  return name_end != std::string::npos && stat[name_end + 2] != 'Z' && stat[name_end + 2] != 'X';
}

TEST(WorkerProcess, DiesWithItsCoordinatorIdleAndInATask) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t coordinator = fork();
  if (coordinator == 0) {
    pool::PoolOptions options;
    options.program = std::filesystem::read_symlink("/proc/self/exe").string();
    pool::Pool pool(options);
    for (pool::WorkerNumber worker = 0; worker < 2; ++worker) pool.start(worker);
    int ready = 0;
    while (ready < 2)
      for (const auto& event : pool.wait(1s)) ready += std::holds_alternative<pool::Ready>(event.detail) ? 1 : 0;
    pool.send(1, pool::Define{0, archive_of("sleep")});
    pool.send(1, pool::Run{});
    pool.flush();
    for (const pool::WorkerNumber worker : {0, 1}) {
      const auto pid = pool.pid(worker);
      if (write(ends[1], &pid, sizeof pid) != sizeof pid) _exit(1);
    }
    for (;;) pause();
  }
  close(ends[1]);
  std::array<std::int64_t, 2> pids{};
  for (auto& pid : pids) {
    ASSERT_EQ(read(ends[0], &pid, sizeof pid), static_cast<ssize_t>(sizeof pid));
    EXPECT_TRUE(is_alive(pid));
  }
  ::kill(coordinator, SIGKILL);
  waitpid(coordinator, nullptr, 0);
  for (const auto pid : pids) {
    const auto end = std::chrono::steady_clock::now() + kDeadline;
    while (is_alive(pid) && std::chrono::steady_clock::now() < end) usleep(1000);
    EXPECT_FALSE(is_alive(pid));
  }
  close(ends[0]);
}

}  // namespace
}  // namespace brim::worker
