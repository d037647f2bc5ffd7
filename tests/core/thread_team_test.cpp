#include "core/thread_team.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <latch>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace brim {
namespace {

TEST(ThreadTeam, runs_every_part_once_whatever_its_size) {
  ThreadTeam team;
  for (const int size : {1, 2, 5, 3}) {
    team.grow_to(size);
    for (const int parts : {0, 1, 2, 7, 100}) {
      std::vector<std::atomic<int>> calls(static_cast<std::size_t>(parts));
      team.run(parts, [&](int part) { ++calls.at(static_cast<std::size_t>(part)); });
      for (const auto& count : calls) EXPECT_EQ(count, 1);
    }
  }
  EXPECT_EQ(team.size(), 5) << "teams do not shrink";
}

TEST(ThreadTeam, runs_as_many_parts_at_once_as_it_has_threads) {
  ThreadTeam team;
  team.grow_to(3);
  // Each part waits for the others: with fewer threads this would never end.
  std::latch all(3);
  std::array<std::thread::id, 3> threads;
  team.run(3, [&](int part) {
    threads.at(static_cast<std::size_t>(part)) = std::this_thread::get_id();
    all.arrive_and_wait();
  });
  EXPECT_EQ(threads[0], std::this_thread::get_id());
  EXPECT_EQ(std::set(threads.begin(), threads.end()).size(), 3u);
}

TEST(ThreadTeam, throws_what_the_first_part_threw_and_goes_on) {
  ThreadTeam team;
  team.grow_to(4);
  std::atomic<int> ended = 0;
  const auto fail = [&](int part) {
    ++ended;
    if (part == 2 || part == 3) throw std::runtime_error("part " + std::to_string(part));
  };
  try {
    team.run(5, fail);
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "part 2");
  }
  EXPECT_EQ(ended, 5);
  team.run(2, [&](int) { ++ended; });
  EXPECT_EQ(ended, 7);
}

}  // namespace
}  // namespace brim
