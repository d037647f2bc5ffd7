#include "brim/plan.h"

#include <gtest/gtest.h>

#include <chrono>

#include "brim/error.h"
#include "plan/physical_plan.h"

namespace brim {
namespace {

Machine made_up_machine(Bytes budget, int cores = 4) {
  Machine machine;
  machine.cores = cores;
  machine.budget = budget;
  machine.memory_available = budget;
  machine.reserved_mem = mebibytes(16);
  machine.coordinator_mem = mebibytes(48);
  return machine;
}

Array numbers(const Shape& shape, const Shape& chunks) { return full(shape, 1.5, {.chunks = chunks}); }

Output stored(const Array& array) { return store(array, "out.h5:/x"); }

TEST(Plan, the_founding_case_has_widths_32_and_8) {
  const auto lean = synthetic({.tasks = 64, .memory = parse_bytes("500MB")});
  const auto hungry = synthetic({.tasks = 16, .memory = parse_bytes("2GB"), .after = {lean}});
  const auto made =
      plan({discard(hungry)}, made_up_machine(gibibytes(64)), {.task_memory = parse_bytes("16GB"), .workers = 0});
  const auto ops = made.ops();
  ASSERT_EQ(ops.size(), 2u);
  EXPECT_EQ(ops[0].width, 32);
  EXPECT_EQ(ops[1].width, 8);
  EXPECT_EQ(ops[0].projected_mem, parse_bytes("500MB"));
  EXPECT_EQ(ops[1].projected_mem, parse_bytes("2GB"));
  EXPECT_EQ(made.budget(), made.coordinator_mem() + made.worker_mem() * 32 + parse_bytes("16GB"));
}

TEST(Plan, a_chain_of_functions_and_slices_is_one_op) {
  const auto x = numbers({100, 100}, {10, 100});
  const auto y = sqrt(exp(x) * 2 + 1);
  const auto z = index(y, {Slice{1, std::nullopt, 2}}) - 3.0;
  const auto made = plan({stored(z)}, made_up_machine(gibibytes(1)));
  ASSERT_EQ(made.ops().size(), 1u);
  EXPECT_EQ(made.ops()[0].fused, (std::vector<std::string>{"exp", "multiply", "add", "sqrt", "subtract"}));
}

TEST(Plan, stored_values_and_their_mean_are_made_in_one_traversal) {
  const auto x = numbers({40, 50}, {10, 50});
  const auto y = exp(x);
  const auto m = mean(y, {.axis = std::vector<int>{0}});
  const auto made = plan({store(y, "out.h5:/y"), store(m, "out.h5:/m")}, made_up_machine(gibibytes(1)));
  const auto ops = made.ops();
  ASSERT_EQ(ops.size(), 3u);  // traversal, combine, copy of the small result to its file
  EXPECT_EQ(ops[0].fused, (std::vector<std::string>{"exp", "mean"}));
  EXPECT_EQ(ops[0].tasks, 4);
  EXPECT_EQ(ops[1].kind, "combine");
}

TEST(Plan, an_expensive_array_that_two_offsets_read_is_made_once) {
  const auto x = numbers({64, 1000}, {8, 1000});
  const auto u = exp(sin(x));
  const auto difference = index(u, {Slice{1, std::nullopt, 1}}) - index(u, {Slice{std::nullopt, -1, 1}});
  const auto roomy = plan({stored(difference)}, made_up_machine(gibibytes(1)));
  ASSERT_EQ(roomy.ops().size(), 2u);
  EXPECT_EQ(roomy.ops()[0].fused, (std::vector<std::string>{"sin", "exp"}));
  EXPECT_EQ(roomy.ops()[1].fused, (std::vector<std::string>{"subtract"}));
  EXPECT_GT(roomy.resident_peak(), Bytes(0));
}

TEST(Plan, where_not_even_spilling_fits_the_array_is_computed_again) {
  const auto x = numbers({4096, 10000}, {8, 10000});
  const auto u = exp(sin(x));
  const auto difference = index(u, {Slice{1, std::nullopt, 1}}) - index(u, {Slice{std::nullopt, -1, 1}});
  const auto minimum = plan({stored(difference)}, made_up_machine(mebibytes(128))).minimum_budget();
  const auto tight = plan({stored(difference)}, made_up_machine(minimum));
  ASSERT_EQ(tight.ops().size(), 1u);
  EXPECT_EQ(tight.total_spilled(), Bytes(0));
  EXPECT_EQ(tight.resident_peak(), Bytes(0));
}

TEST(Plan, a_cheap_shared_array_is_computed_again) {
  const auto x = numbers({64, 1000}, {8, 1000});
  const auto u = x + 1.0;
  const auto difference = index(u, {Slice{1, std::nullopt, 1}}) - index(u, {Slice{std::nullopt, -1, 1}});
  EXPECT_EQ(plan({stored(difference)}, made_up_machine(gibibytes(1))).ops().size(), 1u);
}

TEST(Plan, minimum_budget_is_exact_and_one_byte_less_is_refused) {
  const auto x = numbers({400, 1000}, {100, 1000});
  const std::vector<Output> outputs = {stored(sum(exp(x) * x))};
  const auto minimum = plan(outputs, made_up_machine(gibibytes(4))).minimum_budget();
  const auto smallest = plan(outputs, made_up_machine(minimum));
  EXPECT_EQ(smallest.minimum_budget(), minimum);
  EXPECT_EQ(smallest.budget(), minimum);
  try {
    plan(outputs, made_up_machine(minimum - Bytes(1)));
    FAIL() << "one byte less was planned";
  } catch (const MemoryError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("needs"), std::string::npos) << text;
    EXPECT_NE(text.find("raise --memory to"), std::string::npos) << text;
    EXPECT_NE(text.find(std::to_string(minimum.count())), std::string::npos) << text;
  }
}

TEST(Plan, the_same_graph_plans_for_any_machine) {
  const auto x = numbers({64, 1000}, {8, 1000});
  const std::vector<Output> outputs = {stored(x * 2)};
  const auto one = plan(outputs, made_up_machine(mebibytes(100), 1)).ops().front();
  const auto many = plan(outputs, made_up_machine(gibibytes(100), 64)).ops().front();
  EXPECT_EQ(one.width, 1);
  EXPECT_EQ(many.width, 8);  // there are no more tasks
  EXPECT_EQ(one.projected_mem, many.projected_mem);
}

TEST(Plan, tasks_use_the_cores_that_memory_leaves_idle) {
  const auto x = numbers({64, 1000, 1000}, {8, 1000, 1000});
  const std::vector<Output> outputs = {stored(x * 2)};
  const auto lean = plan(outputs, made_up_machine(gibibytes(100), 8));
  EXPECT_EQ(lean.ops().front().threads, 1) << "eight tasks fill eight cores";
  const auto minimum = lean.minimum_budget();
  const auto wide = plan(outputs, made_up_machine(minimum + mebibytes(64), 8));
  EXPECT_EQ(wide.ops().front().width, 1);
  EXPECT_EQ(wide.ops().front().threads, 8);
  EXPECT_GT(wide.ops().front().projected_mem, lean.ops().front().projected_mem) << "threads need memory";
  EXPECT_EQ(wide.minimum_budget(), minimum) << "but not in the smallest budget";
  const auto smallest = plan(outputs, made_up_machine(minimum, 8));
  EXPECT_EQ(smallest.ops().front().threads, 1);
  EXPECT_EQ(smallest.ops().front().projected_mem, lean.ops().front().projected_mem);
}

TEST(Plan, what_memory_has_no_room_for_is_spilled_instead_of_computed_twice) {
  const auto x = exp(sin(numbers({64, 1000, 1000}, {1, 1000, 1000})));
  const std::vector<Output> outputs = {stored(x - mean(x, {.axis = std::vector{0}}))};
  const auto roomy = plan(outputs, made_up_machine(gibibytes(4)));
  EXPECT_EQ(roomy.total_spilled(), Bytes(0));
  EXPECT_GT(roomy.resident_peak(), mebibytes(480));
  const auto tight = plan(outputs, made_up_machine(mebibytes(300)));
  EXPECT_GE(tight.total_spilled(), Bytes(64 * 8'000'000));
  EXPECT_LT(tight.resident_peak(), mebibytes(200));
  EXPECT_EQ(tight.ops().front().fused, roomy.ops().front().fused) << "nothing is computed twice";
  EXPECT_NE(tight.explain().find("to the scratch file"), std::string::npos) << tight.explain();
}

TEST(Plan, the_breakdown_adds_up_to_the_projection) {
  const auto x = numbers({64, 1000}, {8, 1000});
  const auto u = exp(sin(x));
  const auto difference = index(u, {Slice{1, std::nullopt, 1}}) - index(u, {Slice{std::nullopt, -1, 1}});
  for (const auto& op : plan({stored(difference), store(mean(u), "out.h5:/m")}, made_up_machine(gibibytes(1))).ops()) {
    const auto& parts = op.breakdown;
    EXPECT_EQ(parts.inputs + parts.codec + parts.temporaries + parts.outputs + parts.resident, op.projected_mem)
        << op.name;
  }
}

TEST(Plan, ten_million_tasks_cost_next_to_nothing) {
  const auto x = full({10'000'000, 10}, 1.0, {.chunks = Shape{1, 10}});
  const std::vector<Output> outputs = {stored(exp(x)), store(mean(x + 1), "out.h5:/m")};
  const auto made = plan(outputs, made_up_machine(gibibytes(16)));
  EXPECT_GT(made.total_tasks(), 10'000'000);
  EXPECT_LT(made.physical().ops.size(), 20u);
}

TEST(Plan, a_budget_and_a_task_memory_exclude_each_other) {
  EXPECT_THROW(plan({discard(synthetic({.tasks = 1}))}, made_up_machine(gibibytes(1)),
                    {.memory = gibibytes(1), .task_memory = gibibytes(1)}),
               UsageError);
}

TEST(Plan, synthetic_work_has_no_values) {
  const auto work = synthetic({.tasks = 3});
  EXPECT_THROW(plan({stored(work)}, made_up_machine(gibibytes(1))), UsageError);
  EXPECT_THROW(plan({stored(work + 1)}, made_up_machine(gibibytes(1))), UsageError);
}

TEST(Plan, arrays_without_elements_have_no_tasks_but_their_sums_have) {
  const auto x = full({0, 5}, 1.0);
  const auto made = plan({stored(x + 1), store(sum(x), "out.h5:/s")}, made_up_machine(gibibytes(1)));
  std::int64_t combines = 0;
  for (const auto& op : made.ops())
    if (op.kind == "combine") combines += op.tasks;
  EXPECT_EQ(combines, 1);
}

TEST(Plan, a_chain_of_thousands_of_functions_is_cut) {
  auto x = numbers({10}, {10});
  for (int i = 0; i < 5000; ++i) x = x + 1.0;
  const auto made = plan({stored(x)}, made_up_machine(gibibytes(1)));
  EXPECT_GT(made.ops().size(), 1u);
}

}  // namespace
}  // namespace brim
