#include "schedule/ledger.h"

#include <gtest/gtest.h>

#include <random>

#include "brim/error.h"
#include "schedule/simulated_machine.h"

namespace brim::schedule {
namespace {

TEST(Ledger, ChargesBlocksInWholePages) {
  EXPECT_EQ(charged_block(Bytes(0)), Bytes(0));
  EXPECT_EQ(charged_block(Bytes(1)), Bytes(4096));
  EXPECT_EQ(charged_block(Bytes(4096)), Bytes(4096));
  EXPECT_EQ(charged_block(Bytes(4097)), Bytes(8192));
}

TEST(Ledger, FillsUpToTheBudgetAndNotAByteMore) {
  Ledger ledger(Bytes(10'000), Bytes(1000));
  ledger.add_worker(Bytes(500), Bytes(2500));
  ledger.change_held(Bytes(2500), Bytes(8500));
  EXPECT_EQ(ledger.free(), Bytes(0));
  EXPECT_THROW(ledger.change_held(Bytes(8500), Bytes(8501)), InternalError);
}

TEST(Ledger, EveryKindOfGrantIsChecked) {
  const auto full = [] {
    Ledger ledger(Bytes(8192), Bytes(0));
    ledger.allocate_block(Bytes(4096));
    ledger.add_worker(Bytes(4000), Bytes(96));
    return ledger;
  };
  EXPECT_THROW(full().add_worker(Bytes(1), Bytes(0)), InternalError);
  EXPECT_THROW(full().add_worker(Bytes(0), Bytes(1)), InternalError);
  EXPECT_THROW(full().promise_block(Bytes(4096)), InternalError);
  EXPECT_THROW(full().allocate_block(Bytes(4096)), InternalError);
}

TEST(Ledger, ReusesAFreedBlockOfTheSameSizeWithoutNewMemory) {
  Ledger ledger(Bytes(100'000), Bytes(0));
  ledger.allocate_block(Bytes(8192));
  ledger.free_block(Bytes(8192));
  EXPECT_EQ(ledger.totals().cached, Bytes(8192));
  ledger.allocate_block(Bytes(4096));
  EXPECT_EQ(ledger.totals().total(), Bytes(12288));
  ledger.allocate_block(Bytes(8192));
  EXPECT_EQ(ledger.totals().total(), Bytes(12288));
  EXPECT_EQ(ledger.totals().cached, Bytes(0));
}

TEST(Ledger, ReleasesWholeBlocksOldestFirst) {
  Ledger ledger(Bytes(100'000), Bytes(0));
  for (const auto size : {8192, 4096, 12288}) ledger.allocate_block(Bytes(size));
  for (const auto size : {8192, 4096, 12288}) ledger.free_block(Bytes(size));
  EXPECT_EQ(ledger.release_cached(Bytes(1)), Bytes(8192));
  EXPECT_FALSE(ledger.can_reuse(Bytes(8192)));
  EXPECT_TRUE(ledger.can_reuse(Bytes(4096)));
  EXPECT_EQ(ledger.release_cached(Bytes(5000)), Bytes(16384));
  EXPECT_EQ(ledger.release_cached(Bytes(5000)), Bytes(0));
}

TEST(Ledger, KeepsTheSameAccountOfBlocksAsTheArena) {
  std::mt19937_64 random(7);
  Ledger ledger(gibibytes(1), Bytes(0));
  SimulatedArena arena;
  std::vector<std::pair<TaskId, Bytes>> live;
  for (std::int64_t step = 0; step < 20'000; ++step) {
    const auto choice = random() % 8;
    if (choice < 4) {
      live.push_back({{0, step}, Bytes(static_cast<std::int64_t>(1 + random() % 6) * 4000)});
      ledger.allocate_block(charged_block(live.back().second));
      arena.allocate(live.back().first, live.back().second);
    } else if (choice < 7 && !live.empty()) {
      std::swap(live.back(), live[random() % live.size()]);
      ledger.free_block(charged_block(live.back().second));
      arena.free(live.back().first);
      live.pop_back();
    } else if (choice == 7) {
      const Bytes wanted(static_cast<std::int64_t>(random() % 40'000));
      ledger.release_cached(wanted);
      arena.release_cached(wanted);
    }
    ASSERT_EQ(ledger.totals().resident, arena.granted()) << "step " << step;
    ASSERT_EQ(ledger.totals().cached, arena.cached()) << "step " << step;
  }
}

TEST(Ledger, RefusesToTakeOffWhatWasNeverThere) {
  Ledger ledger(Bytes(10'000), Bytes(0));
  EXPECT_THROW(ledger.free_block(Bytes(4096)), InternalError);
  Ledger second(Bytes(10'000), Bytes(0));
  EXPECT_THROW(second.remove_worker(Bytes(1), Bytes(0)), InternalError);
  Ledger third(Bytes(10'000), Bytes(0));
  EXPECT_THROW(third.take_promise_back(Bytes(1)), InternalError);
}

TEST(Ledger, RemembersItsPeak) {
  Ledger ledger(Bytes(100'000), Bytes(1000));
  ledger.allocate_block(Bytes(8192));
  ledger.free_block(Bytes(8192));
  ledger.release_cached(Bytes(8192));
  EXPECT_EQ(ledger.totals().total(), Bytes(1000));
  EXPECT_EQ(ledger.peak(), Bytes(9192));
  EXPECT_EQ(ledger.resident_peak(), Bytes(8192));
}

}  // namespace
}  // namespace brim::schedule
