#include "machine/process_state.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <vector>

namespace brim::machine {
namespace {

TEST(ProcessState, tells_a_stopped_process_from_one_that_goes_on) {
  EXPECT_FALSE(is_stopped(getpid()));
  const pid_t child = fork();
  if (child == 0) {
    for (;;) pause();
  }
  int status = 0;
  kill(child, SIGSTOP);
  ASSERT_EQ(waitpid(child, &status, WUNTRACED), child);
  EXPECT_TRUE(is_stopped(child));
  kill(child, SIGCONT);
  ASSERT_EQ(waitpid(child, &status, WCONTINUED), child);
  EXPECT_FALSE(is_stopped(child));
  kill(child, SIGKILL);
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_FALSE(is_stopped(child)) << "there is none any more";
}

TEST(ProcessState, tells_what_a_process_holds_alone) {
  const auto before = private_memory(getpid());
  EXPECT_GT(before, kibibytes(100));
  std::vector<char> memory(std::size_t{64} << 20, 1);
  EXPECT_GE(private_memory(getpid()), before + mebibytes(60)) << memory.back();
  EXPECT_EQ(private_memory(std::int64_t{1} << 30), Bytes(0)) << "nobody";
}

}  // namespace
}  // namespace brim::machine
