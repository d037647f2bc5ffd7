#include "pool/pool.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "brim/error.h"

namespace brim::pool {
namespace {

using testing::Contains;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;
using namespace std::chrono_literals;

/// Only a defect takes that long.
constexpr auto kDeadline = 60s;

PoolOptions fake(const std::string& mode) {
  PoolOptions options;
  options.program = std::filesystem::read_symlink("/proc/self/exe").string();
  options.arguments = {"--fake=" + mode};
  return options;
}

/// Waits for events until `done` says so; returns all of them.
std::vector<Event> wait_until(Pool& pool, const std::function<bool(const Event&)>& done) {
  std::vector<Event> events;
  const auto end = std::chrono::steady_clock::now() + kDeadline;
  while (std::chrono::steady_clock::now() < end) {
    for (const auto& event : pool.wait(1s)) {
      events.push_back(event);
      if (done(event)) return events;
    }
  }
  ADD_FAILURE() << "nothing happened in time";
  return events;
}

template <typename Detail>
Detail wait_for(Pool& pool, WorkerNumber worker) {
  const auto events = wait_until(
      pool, [&](const Event& event) { return event.worker == worker && std::holds_alternative<Detail>(event.detail); });
  if (events.empty() || !std::holds_alternative<Detail>(events.back().detail)) return {};
  return std::get<Detail>(events.back().detail);
}

Run run_message(std::int64_t sequence) {
  Run run;
  run.sequence = sequence;
  return run;
}

std::size_t open_descriptors() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) ++count;
  return count;
}

bool has_children() { return waitpid(-1, nullptr, WNOHANG) != -1 || errno != ECHILD; }

/// Running, not a zombie that waits for somebody's init.
bool is_alive(std::int64_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string stat;
  std::getline(file, stat);
  const auto name_end = stat.rfind(')');
  return name_end != std::string::npos && stat[name_end + 2] != 'Z' && stat[name_end + 2] != 'X';
}

bool wait_for_death(std::int64_t pid) {
  const auto end = std::chrono::steady_clock::now() + kDeadline;
  while (is_alive(pid)) {
    if (std::chrono::steady_clock::now() > end) return false;
    usleep(1000);
  }
  return true;
}

TEST(Pool, AWorkerStartsAnswersAndStops) {
  Pool pool(fake("echo"));
  pool.start(5);
  EXPECT_EQ(wait_for<Ready>(pool, 5).pid, pool.pid(5));
  pool.send(5, run_message(17));
  EXPECT_EQ(wait_for<Done>(pool, 5).sequence, 17);
  pool.stop(5);
  const auto gone = wait_for<WorkerGone>(pool, 5);
  EXPECT_EQ(gone.status.code, 0);
  EXPECT_EQ(gone.status.describe(), "exit status 0");
  EXPECT_TRUE(gone.asked);
  EXPECT_TRUE(pool.workers().empty());
  EXPECT_FALSE(has_children());
}

TEST(Pool, TenThousandMessagesArriveInOrderThroughEachOfThreeWorkers) {
  constexpr std::int64_t kMessages = 10'000;
  Pool pool(fake("echo"));
  std::vector<std::int64_t> next(3, 0);
  for (WorkerNumber worker = 0; worker < 3; ++worker) {
    pool.start(worker);
    for (std::int64_t i = 0; i < kMessages; ++i) pool.send(worker, run_message(i));
  }
  std::int64_t answers = 0;
  bool in_order = true;
  wait_until(pool, [&](const Event& event) {
    if (const auto* done = std::get_if<Done>(&event.detail)) {
      in_order &= done->sequence == next[static_cast<std::size_t>(event.worker)]++;
      ++answers;
    }
    return answers == 3 * kMessages;
  });
  EXPECT_TRUE(in_order);
  EXPECT_EQ(answers, 3 * kMessages);
}

TEST(Pool, ALongMessageArrivesWhole) {
  Pool pool(fake("echo"));
  pool.start(0);
  constexpr std::size_t kLength = 48 << 20;
  pool.send(0, Define{1, std::vector<std::byte>(kLength, std::byte{1})});
  pool.send(0, run_message(1));
  // Both answers may come with one wait().
  Bytes echoed;
  const auto events = wait_until(pool, [&](const Event& event) {
    if (const auto* trimmed = std::get_if<Trimmed>(&event.detail)) echoed = trimmed->held;
    return std::holds_alternative<Done>(event.detail);
  });
  EXPECT_EQ(echoed, Bytes(kLength));
  ASSERT_TRUE(std::holds_alternative<Done>(events.back().detail));
  EXPECT_EQ(std::get<Done>(events.back().detail).sequence, 1);
}

TEST(Pool, AWorkerThatDoesNotListenHoldsUpNobody) {
  Pool pool(fake("deaf"));
  pool.start(0);
  wait_for<Ready>(pool, 0);
  // More than the socket takes: a blocking write would never return.
  for (int i = 0; i < 8; ++i) pool.send(0, Define{1, std::vector<std::byte>(1 << 20)});
  pool.flush();
  EXPECT_TRUE(pool.wait(10ms).empty());
  pool.kill(0);
  const auto gone = wait_for<WorkerGone>(pool, 0);
  EXPECT_EQ(gone.status.signal, SIGKILL);
  EXPECT_THAT(gone.status.describe(), HasSubstr("signal 9 (Killed)"));
}

TEST(Pool, AKilledWorkerIsReportedAndItsNumberCanBeUsedAgain) {
  Pool pool(fake("echo"));
  pool.start(0);
  wait_for<Ready>(pool, 0);
  pool.send(0, run_message(1));
  wait_for<Done>(pool, 0);
  ::kill(static_cast<pid_t>(pool.pid(0)), SIGKILL);
  const auto gone = wait_for<WorkerGone>(pool, 0);
  EXPECT_EQ(gone.status.signal, SIGKILL);
  EXPECT_FALSE(gone.asked);
  EXPECT_EQ(gone.reason, "");
  pool.send(0, run_message(2));  // to nobody
  pool.start(0);
  wait_for<Ready>(pool, 0);
  pool.send(0, run_message(3));
  EXPECT_EQ(wait_for<Done>(pool, 0).sequence, 3);
}

TEST(Pool, AnExitStatusComesThrough) {
  Pool pool(fake("status"));
  pool.start(0);
  const auto gone = wait_for<WorkerGone>(pool, 0);
  EXPECT_EQ(gone.status.code, 3);
  EXPECT_FALSE(gone.asked);
}

TEST(Pool, AWorkerThatSendsGarbageIsEndedAndTheReasonTold) {
  Pool pool(fake("garbage"));
  pool.start(0);
  pool.send(0, run_message(1));
  const auto gone = wait_for<WorkerGone>(pool, 0);
  EXPECT_EQ(gone.status.signal, SIGKILL);
  EXPECT_FALSE(gone.asked);
  EXPECT_THAT(gone.reason, HasSubstr("not a message"));
}

TEST(Pool, HalfAMessageIsNoMessage) {
  Pool pool(fake("cut"));
  pool.start(0);
  pool.send(0, run_message(1));
  const auto events =
      wait_until(pool, [](const Event& event) { return std::holds_alternative<WorkerGone>(event.detail); });
  ASSERT_EQ(events.size(), 2U);
  EXPECT_TRUE(std::holds_alternative<Ready>(events[0].detail));
  EXPECT_EQ(std::get<WorkerGone>(events[1].detail).status.code, 0);
}

TEST(Pool, AWorkerThatClosesItsSocketIsEnded) {
  Pool pool(fake("closed"));
  pool.start(0);
  EXPECT_EQ(wait_for<WorkerGone>(pool, 0).status.signal, SIGKILL);
}

TEST(Pool, WatchedDescriptorsWakeIt) {
  Pool pool(fake("echo"));
  const int cancel = eventfd(0, EFD_CLOEXEC);
  pool.watch(cancel);
  EXPECT_TRUE(pool.wait(0ms).empty());
  eventfd_write(cancel, 1);
  const auto& events = pool.wait(kDeadline);
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(std::get<DescriptorReady>(events[0].detail).descriptor, cancel);
  pool.unwatch(cancel);
  EXPECT_TRUE(pool.wait(0ms).empty());
  EXPECT_TRUE(pool.wait(std::nullopt).empty()) << "there is nothing to wait for";
  close(cancel);
}

TEST(Pool, NothingIsLeftBehind) {
  const auto before = open_descriptors();
  for (int round = 0; round < 3; ++round) {
    std::vector<std::int64_t> pids;
    {
      Pool pool(fake(round == 1 ? "deaf" : "echo"));
      for (WorkerNumber worker = 0; worker < 4; ++worker) {
        pool.start(worker);
        pids.push_back(pool.pid(worker));
      }
      if (round == 2) wait_for<Ready>(pool, 3);
    }
    for (const auto pid : pids) EXPECT_FALSE(is_alive(pid));
  }
  EXPECT_EQ(open_descriptors(), before);
  EXPECT_FALSE(has_children());
}

TEST(Pool, AWorkerInheritsItsSocketAndTheArenaAndNothingElse) {
  const int leaking = open("/dev/zero", O_RDONLY);  // without O_CLOEXEC
  const int arena = open("/dev/full", O_RDWR | O_CLOEXEC);
  auto options = fake("report");
  options.arena_descriptor = arena;
  options.arena_capacity = Bytes(4096);
  Pool pool(options);
  pool.start(0);
  pool.send(0, run_message(1));
  const auto lines = wait_for<Failed>(pool, 0).error.context;
  EXPECT_THAT(lines, Contains(EndsWith(" /dev/full")));
  EXPECT_THAT(lines, Contains(HasSubstr(" socket:")).Times(1));
  EXPECT_THAT(lines, Not(Contains(EndsWith(" /dev/zero"))));
  EXPECT_THAT(lines, Contains("0 /dev/null"));
  EXPECT_THAT(lines, Contains(StartsWith("MALLOC_MMAP_THRESHOLD_=")));
  EXPECT_THAT(lines, Contains("HDF5_USE_FILE_LOCKING=FALSE"));
  EXPECT_THAT(lines, Contains("OMP_NUM_THREADS=1"));
  close(leaking);
  close(arena);
}

TEST(Pool, AMissingProgramIsAnError) {
  PoolOptions options;
  options.program = "/no/such/brim-worker";
  Pool pool(options);
  try {
    pool.start(0);
    FAIL() << "it started";
  } catch (const WorkerError& error) {
    EXPECT_THAT(error.record().what, HasSubstr("/no/such/brim-worker"));
    EXPECT_THAT(error.record().what, HasSubstr("No such file"));
    EXPECT_THAT(error.record().hint, HasSubstr("BRIM_WORKER"));
  }
  EXPECT_TRUE(pool.workers().empty());
}

TEST(Pool, AFileThatIsNoProgramIsAnErrorAndLeavesNoZombie) {
  const auto path = std::filesystem::temp_directory_path() / ("brim-no-program-" + std::to_string(getpid()));
  std::ofstream(path) << "\x01\x02 neither a program nor a script";
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  const auto before = open_descriptors();
  PoolOptions options;
  options.program = path.string();
  {
    Pool pool(options);
    EXPECT_THROW(pool.start(0), WorkerError);
  }
  EXPECT_FALSE(has_children());
  EXPECT_EQ(open_descriptors(), before);
  std::filesystem::remove(path);
}

TEST(Pool, ASignalHandlerOfTheProgramStaysAndAnIgnoredChildSignalDoesNoHarm) {
  const auto old = signal(SIGCHLD, SIG_IGN);
  {
    Pool pool(fake("status"));
    pool.start(0);
    const auto gone = wait_for<WorkerGone>(pool, 0);
    EXPECT_FALSE(gone.status.signal);
    EXPECT_THAT(gone.status.describe(), testing::AnyOf("an unknown exit status", "exit status 3"));
  }
  EXPECT_EQ(signal(SIGCHLD, old), SIG_IGN);
}

/// A coordinator process of its own with `count` workers; returns its pid and theirs once all are ready.
std::pair<pid_t, std::vector<std::int64_t>> start_coordinator(const std::string& mode, int count) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t coordinator = fork();
  if (coordinator == 0) {
    close(ends[0]);
    Pool pool(fake(mode));
    for (WorkerNumber worker = 0; worker < count; ++worker) pool.start(worker);
    int ready = 0;
    while (ready < count) {
      for (const auto& event : pool.wait(1s)) {
        if (!std::holds_alternative<Ready>(event.detail)) continue;
        ++ready;
        const std::int64_t pid = pool.pid(event.worker);
        if (write(ends[1], &pid, sizeof pid) != sizeof pid) _exit(1);
      }
    }
    for (;;) pause();
  }
  close(ends[1]);
  std::vector<std::int64_t> pids(static_cast<std::size_t>(count));
  for (auto& pid : pids) EXPECT_EQ(read(ends[0], &pid, sizeof pid), static_cast<ssize_t>(sizeof pid));
  close(ends[0]);
  return {coordinator, pids};
}

TEST(Pool, WorkersDieWithTheirCoordinator) {
  for (const std::string mode : {"echo", "deaf"}) {
    const auto [coordinator, pids] = start_coordinator(mode, 3);
    for (const auto pid : pids) EXPECT_TRUE(is_alive(pid));
    ::kill(coordinator, SIGKILL);
    waitpid(coordinator, nullptr, 0);
    for (const auto pid : pids) EXPECT_TRUE(wait_for_death(pid)) << mode;
  }
}

}  // namespace
}  // namespace brim::pool
