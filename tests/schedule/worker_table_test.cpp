#include "schedule/worker_table.h"

#include <gtest/gtest.h>

#include "brim/error.h"

namespace brim::schedule {
namespace {

ReadyTask task_of(Bytes grant) { return {0, {0, 0}, {grant, Bytes(0)}}; }

class WorkerTableTest : public ::testing::Test {
 protected:
  WorkerNumber add_idle(Bytes held) {
    const auto number = table.add(held);
    table.change(number, [](Worker& worker) { worker.state = WorkerState::kIdle; });
    return number;
  }
  WorkerNumber add_busy(Bytes held, Bytes grant) {
    const auto number = table.add(held);
    table.change(number, [&](Worker& worker) {
      worker.state = WorkerState::kBusy;
      worker.running = task_of(grant);
      worker.busy_since = static_cast<std::uint64_t>(number);
    });
    return number;
  }

  Ledger ledger{Bytes(1'000'000), Bytes(0)};
  WorkerTable table{ledger, Bytes(100)};
};

TEST_F(WorkerTableTest, FindsTheIdleWorkerThatHoldsJustEnough) {
  EXPECT_FALSE(table.find_idle(Bytes(0)).has_value());
  const auto small = add_idle(Bytes(1000));
  const auto large = add_idle(Bytes(3000));
  EXPECT_EQ(table.find_idle(Bytes(500)), small);
  EXPECT_EQ(table.find_idle(Bytes(1001)), large);
  EXPECT_EQ(table.find_idle(Bytes(5000)), large) << "none holds enough: the one that needs least";
}

TEST_F(WorkerTableTest, KeepsTheLedgersLines) {
  const auto number = add_idle(Bytes(1000));
  EXPECT_EQ(ledger.totals().reserved, Bytes(100));
  EXPECT_EQ(ledger.totals().held, Bytes(1000));
  EXPECT_EQ(table.idle_bytes(), Bytes(1100));
  table.change(number, [](Worker& worker) { worker.held = Bytes(400); });
  EXPECT_EQ(ledger.totals().held, Bytes(400));
  EXPECT_EQ(table.idle_bytes(), Bytes(500));
  table.change(number, [](Worker& worker) { worker.state = WorkerState::kStopping; });
  EXPECT_EQ(table.idle_bytes(), Bytes(0));
  EXPECT_EQ(table.stopping_bytes(), Bytes(500));
  EXPECT_EQ(ledger.totals().total(), Bytes(500)) << "charged until it is gone";
  table.remove(number);
  EXPECT_EQ(ledger.totals().total(), Bytes(0));
  EXPECT_EQ(table.stopping_bytes(), Bytes(0));
}

TEST_F(WorkerTableTest, QueuesAtTheWorkerThatHasBeenBusyLongest) {
  const auto first = add_busy(Bytes(1000), Bytes(1000));
  const auto second = add_busy(Bytes(5000), Bytes(5000));
  const auto holds = [](Bytes grant) { return [grant](const Worker& worker) { return worker.held >= grant; }; };
  EXPECT_EQ(table.find_queue(holds(Bytes(500))), first);
  EXPECT_EQ(table.find_queue(holds(Bytes(2000))), second);
  EXPECT_FALSE(table.find_queue(holds(Bytes(6000))).has_value());
  table.change(first, [](Worker& worker) { worker.queued = task_of(Bytes(500)); });
  EXPECT_EQ(table.find_queue(holds(Bytes(500))), second) << "one task may wait, no more";
}

TEST_F(WorkerTableTest, KnowsWhatBusyWorkersHoldForNothing) {
  const auto number = add_busy(Bytes(5000), Bytes(1000));
  EXPECT_EQ(table.at(number).excess(), Bytes(4000));
  EXPECT_EQ(table.loose().size(), 1U);
  table.change(number, [](Worker& worker) { worker.trim_to = Bytes(1000); });
  EXPECT_EQ(table.trimming_bytes(), Bytes(4000));
  EXPECT_TRUE(table.loose().empty()) << "it was asked";
  table.change(number, [](Worker& worker) { worker.queued = task_of(Bytes(4500)); });
  EXPECT_EQ(table.trimming_bytes(), Bytes(500)) << "the rest will be used again";
}

TEST_F(WorkerTableTest, RefusesWorkersThatItDoesNotKnow) {
  EXPECT_THROW(table.at(3), InternalError);
  EXPECT_THROW(table.remove(3), InternalError);
}

}  // namespace
}  // namespace brim::schedule
