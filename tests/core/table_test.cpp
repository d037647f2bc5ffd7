#include "core/table.h"

#include <gtest/gtest.h>

namespace brim {
namespace {

TEST(AlignedTable, PutsTheFirstColumnLeftAndTheOthersRight) {
  EXPECT_EQ(aligned_table({{"op", "tasks", "width"}, {"mean-1", "7", "32"}, {"a", "1000000", "8"}}),
            "op        tasks  width\n"
            "mean-1        7     32\n"
            "a       1000000      8\n");
}

TEST(AlignedTable, MayHaveShortRowsAndNoRows) {
  EXPECT_EQ(aligned_table({}), "");
  EXPECT_EQ(aligned_table({{"a", "b", "c"}, {"long"}}), "a     b  c\nlong\n");
}

}  // namespace
}  // namespace brim
