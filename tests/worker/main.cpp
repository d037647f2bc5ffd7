#include <gtest/gtest.h>

#include <string_view>

#include "worker/fake_code.h"
#include "worker/process.h"

/// The test program is its own worker program: the real loop over ops that tests make up.
int main(int argument_count, char** arguments) {
  for (int i = 1; i < argument_count; ++i) {
    const std::string_view argument = arguments[i];
    if (argument.starts_with("--socket=") || argument == "--measure")
      return brim::worker::run_process(argument_count, arguments, brim::worker::fake_code());
  }
  testing::InitGoogleTest(&argument_count, arguments);
  return RUN_ALL_TESTS();
}
