#pragma once

#include <vector>

#include "plan/physical_plan.h"
#include "schedule/task_graph.h"

namespace brim::runtime {

/// A physical plan as the scheduler sees it. Borrows the plan.
class PlanGraph final : public schedule::TaskGraph {
 public:
  explicit PlanGraph(const PhysicalPlan& plan);

  schedule::OpIndex op_count() const override;
  std::int64_t task_count(schedule::OpIndex op) const override;
  schedule::TaskMemory memory(schedule::TaskId task) const override;
  bool has_dependencies(schedule::OpIndex op) const override;
  bool has_dependents(schedule::OpIndex op) const override;
  void visit_dependencies(schedule::TaskId task, const schedule::VisitTask& visit) const override;
  void visit_dependents(schedule::TaskId task, const schedule::VisitTask& visit) const override;
  std::int64_t width_limit(schedule::OpIndex op) const override;
  std::int32_t thread_limit(schedule::OpIndex op) const override;
  Bytes sequential_peak() const override;

 private:
  const PhysicalPlan& plan_;
  std::vector<std::vector<std::int32_t>> consumers_;  ///< ops that read from each op
};

/// The last step of compressed output files: one task each, without dependencies.
class AssemblyGraph final : public schedule::TaskGraph {
 public:
  AssemblyGraph(std::int64_t files, Bytes need) : files_(files), need_(need) {}

  schedule::OpIndex op_count() const override { return 1; }
  std::int64_t task_count(schedule::OpIndex) const override { return files_; }
  schedule::TaskMemory memory(schedule::TaskId) const override { return {need_, Bytes(0)}; }
  bool has_dependencies(schedule::OpIndex) const override { return false; }
  bool has_dependents(schedule::OpIndex) const override { return false; }
  void visit_dependencies(schedule::TaskId, const schedule::VisitTask&) const override {}
  void visit_dependents(schedule::TaskId, const schedule::VisitTask&) const override {}
  std::int64_t width_limit(schedule::OpIndex) const override { return 0; }
  Bytes sequential_peak() const override { return need_; }

 private:
  std::int64_t files_;
  Bytes need_;
};

}  // namespace brim::runtime
