#include "machine/process_state.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

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

}  // namespace
}  // namespace brim::machine
