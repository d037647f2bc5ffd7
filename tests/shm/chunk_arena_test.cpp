#include "shm/chunk_arena.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <random>

#include "brim/error.h"
#include "shm/address_ranges.h"
#include "shm/poison.h"

namespace brim::shm {
namespace {

/// Memory that the arena really takes from the system.
Bytes taken(const ChunkArena& arena) {
  struct stat status {};
  EXPECT_EQ(fstat(arena.descriptor(), &status), 0);
  return Bytes(status.st_blocks * 512);
}

TEST(ChunkArena, TakesMemoryOnlyForGrantedBlocks) {
  ChunkArena arena(mebibytes(64));
  EXPECT_EQ(taken(arena), Bytes(0));
  const auto block = arena.allocate(Bytes(10'000));
  EXPECT_EQ(block.size, Bytes(10'000));
  EXPECT_EQ(block.offset % 4096, 0);
  EXPECT_EQ(charged(block.size), Bytes(12'288));
  EXPECT_EQ(arena.granted(), Bytes(12'288));
  EXPECT_EQ(taken(arena), Bytes(12'288));
}

TEST(ChunkArena, NumbersMemoryAnewWhenItWasGivenBackBetween) {
  ChunkArena arena(mebibytes(1));
  const auto first = arena.allocate(Bytes(10'000));
  arena.free(first);
  const auto reused = arena.allocate(Bytes(9'000));
  EXPECT_EQ(reused.offset, first.offset);
  EXPECT_EQ(reused.generation, first.generation) << "the same pages";
  arena.free(reused);
  arena.release_cached(mebibytes(1));
  const auto anew = arena.allocate(Bytes(10'000));
  EXPECT_EQ(anew.offset, first.offset);
  EXPECT_NE(anew.generation, first.generation) << "other pages";
}

TEST(ChunkArena, NoBlockForNoBytes) {
  ChunkArena arena(mebibytes(1));
  const auto block = arena.allocate(Bytes(0));
  EXPECT_EQ(block, Block{});
  arena.free(block);
  EXPECT_EQ(arena.grant_count(), 0);
  const ArenaView view(arena.descriptor(), arena.capacity());
  EXPECT_TRUE(view.span(block).empty());
}

TEST(ChunkArena, ReusesTheMostRecentlyFreedBlockOfTheSameSize) {
  ChunkArena arena(mebibytes(1));
  const auto a = arena.allocate(Bytes(5000));
  const auto b = arena.allocate(Bytes(8000));  // the same two pages
  arena.free(a);
  arena.free(b);
  EXPECT_EQ(arena.cached(), Bytes(4 * 4096));
  EXPECT_EQ(arena.allocate(Bytes(4097)).offset, b.offset);
  EXPECT_EQ(arena.allocate(Bytes(8192)).offset, a.offset);
  EXPECT_EQ(arena.reuse_count(), 2);
  EXPECT_EQ(arena.grant_count(), 4);
}

TEST(ChunkArena, GivesTheOldestCachedMemoryBackFirst) {
  ChunkArena arena(mebibytes(1));
  const auto old = arena.allocate(Bytes(4096));
  const auto recent = arena.allocate(Bytes(8192));
  arena.free(old);
  arena.free(recent);
  EXPECT_EQ(arena.release_cached(Bytes(1)), Bytes(4096));
  EXPECT_EQ(arena.cached(), Bytes(8192));
  EXPECT_EQ(taken(arena), Bytes(8192));
  EXPECT_EQ(arena.release_cached(gibibytes(1)), Bytes(8192));
  EXPECT_EQ(taken(arena), Bytes(0));
  EXPECT_EQ(arena.release_cached(Bytes(1)), Bytes(0));
}

TEST(ChunkArena, MakesRoomFromTheCacheAndRefusesBeyondTheLimit) {
  ChunkArena arena(Bytes(10 * 4096));
  const auto a = arena.allocate(Bytes(6 * 4096));
  EXPECT_THROW(arena.allocate(Bytes(5 * 4096)), MemoryError);
  arena.free(a);
  const auto b = arena.allocate(Bytes(10 * 4096));
  EXPECT_EQ(arena.cached(), Bytes(0));
  EXPECT_THROW(arena.allocate(Bytes(1)), MemoryError);
  EXPECT_EQ(arena.granted(), Bytes(10 * 4096));
  arena.free(b);
}

TEST(ChunkArena, RefusesToFreeWhatIsNotGranted) {
  ChunkArena arena(mebibytes(1));
  const auto block = arena.allocate(Bytes(4096));
  EXPECT_THROW(arena.free({block.offset + 4096, Bytes(4096)}), InternalError);
  EXPECT_THROW(arena.free({block.offset, Bytes(8192)}), InternalError);
  arena.free(block);
  EXPECT_THROW(arena.free(block), InternalError);
}

TEST(ChunkArena, ALimitThatNobodyCanMeetIsAnErrorNotASignal) {
  const pid_t child = fork();
  if (child == 0) {
    const rlimit small{4096 * 16, 4096 * 16};
    setrlimit(RLIMIT_FSIZE, &small);
    try {
      const ChunkArena arena(mebibytes(1));
    } catch (const MemoryError&) {
      _exit(0);
    }
    _exit(1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST(ChunkArena, LeavesHalfOfALimitedAddressSpaceToOthers) {
  EXPECT_EQ(ChunkArena(mebibytes(64)).capacity(), mebibytes(512));
  if (kAddressSanitizer) GTEST_SKIP() << "the sanitizer cannot live with a limit";
  const pid_t child = fork();
  if (child == 0) {
    const rlim_t limit = std::uint64_t{1} << 30;
    const rlimit small{limit, limit};
    setrlimit(RLIMIT_AS, &small);
    _exit(ChunkArena(mebibytes(256)).capacity() == mebibytes(512) ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

/// Whatever happens, the arena agrees with a model of it: blocks never overlap, sums are right, contents stay.
TEST(ChunkArena, AgreesWithAModelOverRandomUse) {
  constexpr unsigned kSeed = 4711;
  constexpr std::int64_t kLimit = 400 * 4096;
  std::mt19937 random(kSeed);
  ChunkArena arena{Bytes(kLimit)};
  const ArenaView view(arena.descriptor(), arena.capacity());
  std::vector<std::pair<Block, std::byte>> live;
  std::int64_t granted = 0;
  for (int step = 0; step < 20'000; ++step) {
    SCOPED_TRACE(testing::Message() << "seed " << kSeed << " step " << step);
    const auto choice = random() % 10;
    if (choice < 5) {
      const Bytes size(1 + static_cast<std::int64_t>(random() % (choice == 0 ? 100 * 4096 : 4 * 4096)));
      const bool fits = granted + charged(size).count() <= kLimit;
      try {
        const auto block = arena.allocate(size);
        ASSERT_TRUE(fits);
        const auto fill = static_cast<std::byte>(random());
        const auto memory = view.span(block);
        std::fill(memory.begin(), memory.end(), fill);
        live.emplace_back(block, fill);
        granted += charged(size).count();
      } catch (const MemoryError&) {
        ASSERT_FALSE(fits);
      }
    } else if (choice < 9 && !live.empty()) {
      const auto victim = live.begin() + static_cast<std::ptrdiff_t>(random() % live.size());
      const auto [block, fill] = *victim;
      const auto memory = view.span(block);
      ASSERT_TRUE(std::all_of(memory.begin(), memory.end(), [fill = fill](std::byte byte) { return byte == fill; }));
      view.revoke(block);
      arena.free(block);
      granted -= charged(block.size).count();
      live.erase(victim);
    } else {
      arena.release_cached(Bytes(static_cast<std::int64_t>(random() % kLimit)));
    }
    ASSERT_EQ(arena.granted(), Bytes(granted));
    ASSERT_EQ(taken(arena), arena.granted() + arena.cached());
    ASSERT_LE(arena.granted() + arena.cached(), Bytes(kLimit));
  }
  EXPECT_GT(arena.reuse_count(), 1000);
}

TEST(AddressRanges, MergeWithBothNeighboursAndNoticeWhatIsGivenBackTwice) {
  AddressRanges ranges(100);
  EXPECT_EQ(ranges.try_take(10), 0);
  EXPECT_EQ(ranges.try_take(10), 10);
  EXPECT_EQ(ranges.try_take(10), 20);
  ranges.give_back(0, 10);
  ranges.give_back(20, 10);
  EXPECT_EQ(ranges.piece_count(), 2U);
  EXPECT_THROW(ranges.give_back(5, 10), InternalError);
  EXPECT_THROW(ranges.give_back(15, 10), InternalError);
  ranges.give_back(10, 10);
  EXPECT_EQ(ranges.piece_count(), 1U);
  EXPECT_EQ(ranges.try_take(100), 0);
  EXPECT_EQ(ranges.try_take(1), std::nullopt);
}

TEST(ArenaView, SeesInOneProcessWhatAnotherHasWritten) {
  ChunkArena arena(mebibytes(1));
  const auto block = arena.allocate(Bytes(100));
  const ArenaView view(arena.descriptor(), arena.capacity());
  const pid_t child = fork();
  if (child == 0) {
    const ArenaView own(arena.descriptor(), arena.capacity());
    std::fill_n(own.span(block).begin(), 100, std::byte{7});
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  EXPECT_EQ(view.span(block)[99], std::byte{7});
}

TEST(ArenaView, RefusesBlocksOutsideTheArena) {
  ChunkArena arena(mebibytes(1));
  const ArenaView view(arena.descriptor(), arena.capacity());
  EXPECT_THROW(view.span({arena.capacity().count(), Bytes(1)}), InternalError);
  EXPECT_THROW(view.span({-4096, Bytes(1)}), InternalError);
  EXPECT_THROW(view.span({4096, Bytes(INT64_MAX)}), InternalError);
  EXPECT_THROW(view.span({0, Bytes(-1)}), InternalError);
}

TEST(ArenaView, AMappingThatTheSystemRefusesIsAMemoryError) { EXPECT_THROW(ArenaView(-1, mebibytes(1)), MemoryError); }

TEST(ArenaView, PopulatedBlocksTakeNoMoreFaults) {
  ChunkArena arena(mebibytes(8));
  const auto block = arena.allocate(mebibytes(4));
  const ArenaView view(arena.descriptor(), arena.capacity());
  view.populate(block, true);
  rusage before{};
  getrusage(RUSAGE_SELF, &before);
  const auto memory = view.span(block);
  for (std::size_t i = 0; i < memory.size(); i += 4096) memory[i] = std::byte{1};
  rusage after{};
  getrusage(RUSAGE_SELF, &after);
  if (kAddressSanitizer) GTEST_SKIP() << "the sanitizer's own memory faults";
  EXPECT_LT(after.ru_minflt - before.ru_minflt, 100);
}

TEST(ArenaView, AddressSanitizerCatchesTheUseOfARevokedBlock) {
  if (!kAddressSanitizer) GTEST_SKIP() << "only in builds with AddressSanitizer";
  ChunkArena arena(mebibytes(1));
  const ArenaView view(arena.descriptor(), arena.capacity());
  const auto block = arena.allocate(Bytes(4096));
  const auto memory = view.span(block);
  memory[0] = std::byte{1};
  view.revoke(block);
  EXPECT_DEATH(memory[0] = std::byte{2}, "use-after-poison");
}

/// Allocates and touches 100 MiB where /dev/shm is as `prepare` leaves it, in a mount namespace of its own.
/// 0: worked, 2: no right to make one.
int use_arena_where(bool (*prepare)()) {
  const pid_t child = fork();
  if (child == 0) {
    if (unshare(CLONE_NEWNS) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) _exit(2);
    if (mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 || !prepare()) _exit(2);
    ChunkArena arena(mebibytes(200));
    const ArenaView view(arena.descriptor(), arena.capacity());
    const auto memory = view.span(arena.allocate(mebibytes(100)));
    for (std::size_t i = 0; i < memory.size(); i += 4096) memory[i] = std::byte{1};
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(ChunkArena, DoesNotMindASmallOrUnwritableSharedMemoryFileSystem) {
  const int small = use_arena_where([] { return mount("tmpfs", "/dev/shm", "tmpfs", 0, "size=64m") == 0; });
  if (small == 2) GTEST_SKIP() << "needs the right to mount in a namespace";
  EXPECT_EQ(small, 0);
  EXPECT_EQ(use_arena_where([] { return mount("tmpfs", "/dev/shm", "tmpfs", MS_RDONLY, "size=4k") == 0; }), 0);
  EXPECT_EQ(use_arena_where([] { return mount("tmpfs", "/dev", "tmpfs", 0, "size=4k") == 0; }), 0) << "none at all";
}

}  // namespace
}  // namespace brim::shm
