#include <gtest/gtest.h>

#include "explicit_graph.h"
#include "implicit_graph.h"
#include "schedule/simulator.h"

namespace brim::schedule {
namespace {

constexpr Bytes kChunk = mebibytes(1);

/// The smallest machine that holds the sequential order, and a little more.
SimulationOptions machine(const TaskGraph& graph, Bytes spare, std::int32_t workers = 8) {
  SimulationOptions options;
  options.schedule.coordinator_mem = kibibytes(512);
  options.schedule.reserved_mem = kibibytes(256);
  options.schedule.budget =
      options.schedule.coordinator_mem + options.schedule.reserved_mem + graph.sequential_peak() + spare;
  options.schedule.max_workers = workers;
  options.start_seconds = 0.01;
  options.trim_seconds = 0.01;
  options.stop_seconds = 0.01;
  options.message_seconds = 0.001;
  return options;
}

void expect_to_finish(const TaskGraph& graph) {
  for (std::int64_t spare = 0; spare <= 40; ++spare) {
    SCOPED_TRACE(testing::Message() << "spare " << spare << " MiB");
    const auto result = simulate(graph, machine(graph, mebibytes(spare)));
    EXPECT_TRUE(result.finished) << (result.failure ? result.failure->what : "");
  }
}

/// `rows` x `columns` chunks, made row by row, read by tasks that need a whole row or a whole column each.
ExplicitGraph table(std::int64_t rows, std::int64_t columns, bool read_columns) {
  ExplicitGraph graph;
  const auto made = graph.add_op(rows * columns, kibibytes(100), kChunk);
  const auto read = graph.add_op(read_columns ? columns : rows, kibibytes(300));
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t column = 0; column < columns; ++column)
      graph.depend({read, read_columns ? column : row}, {made, row * columns + column});
  graph.seal();
  return graph;
}

TEST(NoDeadlock, WhenChunksAreReadInTheOrderTheyAreMade) { expect_to_finish(table(16, 8, false)); }

TEST(NoDeadlock, WhenChunksAreReadAcrossTheOrderTheyAreMade) { expect_to_finish(table(8, 16, true)); }

TEST(NoDeadlock, WhenOneTaskReadsMoreThanHalfOfWhatFits) {
  const auto graph = fan_in_graph(8, 64, {kibibytes(100), kChunk}, {kibibytes(100), kibibytes(64)});
  // All chunks together are eight times what fits.
  ASSERT_LT(graph.sequential_peak(), kChunk * 80);
  expect_to_finish(graph);
}

TEST(NoDeadlock, WhenChunksMadeInTwoStagesAreReadAcross) {
  ExplicitGraph graph;
  graph.add_op(64, kibibytes(200), kChunk);
  graph.add_op(64, kibibytes(200), kChunk);
  graph.add_op(8, mebibytes(2));
  for (std::int64_t i = 0; i < 64; ++i) {
    graph.depend({1, i}, {0, (i * 8) % 64 + i / 8});
    graph.depend({2, i % 8}, {1, i});
  }
  graph.seal();
  expect_to_finish(graph);
}

TEST(NoDeadlock, WhenEveryTaskReadsOneChunkThatIsMadeLast) {
  ExplicitGraph graph;
  graph.add_op(32, kibibytes(50), kChunk);
  graph.add_op(1, kibibytes(50), kChunk);  // reads all of them: a mean
  graph.add_op(32, kibibytes(50));         // each reads one of the first and the mean
  for (std::int64_t i = 0; i < 32; ++i) {
    graph.depend({1, 0}, {0, i});
    graph.depend({2, i}, {0, i});
    graph.depend({2, i}, {1, 0});
  }
  graph.seal();
  expect_to_finish(graph);
}

TEST(NoDeadlock, WhenSomeChunksAreReadByNobody) {
  ExplicitGraph graph;
  graph.add_op(40, kibibytes(50), kChunk);
  graph.add_op(40, kibibytes(50), kChunk);
  graph.add_op(3, kibibytes(50));
  for (std::int64_t i = 0; i < 40; ++i) graph.depend({1, i}, {0, i});
  for (std::int64_t i = 0; i < 3; ++i) graph.depend({2, i}, {1, 10 * i});
  graph.seal();
  EXPECT_EQ(graph.sequential_peak(), kChunk * 2 + kibibytes(50));
  expect_to_finish(graph);
}

TEST(NoDeadlock, TransposedReadingStaysParallelWhenThereIsRoomForMoreThanOneColumn) {
  const auto graph = table(8, 16, true);
  auto options = machine(graph, mebibytes(24));
  options.start_seconds = options.trim_seconds = options.stop_seconds = options.message_seconds = 0;
  const auto result = simulate(graph, options);
  ASSERT_TRUE(result.finished);
  EXPECT_EQ(result.statistics.running_peak, 8);
  // 144 tasks of one second on 8 workers.
  EXPECT_LT(result.makespan_seconds, 24.0);
}

TEST(NoDeadlock, WorkersThatKeepMemoryAreReplaced) {
  ExplicitGraph graph;
  graph.add_op(6, mebibytes(4), kChunk);
  graph.add_op(6, kibibytes(10));
  for (std::int64_t i = 0; i < 6; ++i) graph.depend({1, i}, {0, i});
  graph.seal();
  auto options = machine(graph, Bytes(0));
  options.untrimmable = mebibytes(4);
  EXPECT_TRUE(simulate(graph, options).finished);
}

}  // namespace
}  // namespace brim::schedule
