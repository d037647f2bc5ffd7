#include <gtest/gtest.h>

#include <string_view>

#include "pool/fake_worker.h"

/// The test program is its own worker program.
int main(int argument_count, char** arguments) {
  for (int i = 1; i < argument_count; ++i)
    if (std::string_view(arguments[i]).starts_with("--fake="))
      return brim::pool::run_fake_worker(argument_count, arguments);
  testing::InitGoogleTest(&argument_count, arguments);
  return RUN_ALL_TESTS();
}
