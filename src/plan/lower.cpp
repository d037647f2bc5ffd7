#include "plan/lower.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "brim/error.h"
#include "core/check.h"

namespace brim::planning {
namespace {

class Lowering {
 public:
  Lowering(const std::vector<RootGroup>& groups, const Strategy& strategy) : groups_(groups), strategy_(strategy) {
    for (const auto& group : groups)
      for (const auto& root : group)
        for (const auto& purpose : root.purposes)
          if (purpose.kind == Purpose::Kind::kKeep) made_elsewhere_.insert(root.node.get());
  }

  std::vector<ops::PhysicalOp> run(const std::vector<NodePtr>& synthetic) {
    for (const auto& node : synthetic) add_synthetic(node);
    for (const auto& group : groups_) add_group(group);
    return std::move(ops_);
  }

 private:
  /// One traversal, and the reduction trees over the partial results it leaves.
  void add_group(const RootGroup& group) {
    const auto& loop = group.front().loop;
    ops::ProgramBuilder builder(made_elsewhere_);
    ops::PhysicalOp op;
    ops::Traversal traversal;
    traversal.loop = loop;
    for (const auto& root : group)
      for (const auto& purpose : root.purposes) {
        builder.add_root(root.node);
        op.outputs.push_back(output_for(root, purpose, loop));
      }
    traversal.program = builder.program();
    for (const auto& [node, map] : builder.leaves()) traversal.inputs.push_back(input_for(node, map));
    op.detail = std::move(traversal);
    op.name = unique_name(group_name(group));
    const auto number = static_cast<std::int32_t>(ops_.size());
    const auto layout = op.block();
    ops_.push_back(std::move(op));
    finish_group(group, number, layout);
  }

  void finish_group(const RootGroup& group, std::int32_t number, const ops::BlockLayout& layout) {
    std::size_t output = 0;
    std::int32_t part = 0;
    for (const auto& root : group)
      for (const auto& purpose : root.purposes) {
        const auto& made = ops_[static_cast<std::size_t>(number)].outputs[output++];
        if (!made.resident) continue;
        const Resident resident{number, part++, layout};
        if (purpose.kind == Purpose::Kind::kKeep) residents_[root.node.get()] = resident;
        if (purpose.kind != Purpose::Kind::kReduce) continue;
        if (made.reduce->finish_count) {
          residents_[purpose.reduction.get()] = resident;
          continue;
        }
        append_reduction_tree(*purpose.reduction, resident, strategy_.fan_in,
                              unique_name(purpose.reduction->name.empty() ? "reduction" : purpose.reduction->name),
                              ops_);
        residents_[purpose.reduction.get()] = {static_cast<std::int32_t>(ops_.size()) - 1, 0, ops_.back().block()};
      }
  }

  static ops::OpOutput output_for(const Root& root, const Purpose& purpose, const ChunkGrid& loop) {
    ops::OpOutput output;
    output.grid = loop;
    output.dtype = root.node->dtype;
    if (purpose.kind == Purpose::Kind::kStore) output.target = purpose.target;
    if (purpose.kind == Purpose::Kind::kKeep) output.resident = true;
    if (purpose.kind != Purpose::Kind::kReduce) return output;
    const auto& reduce = std::get<ReduceNode>(purpose.reduction->detail);
    output.resident = true;
    output.reduce = ops::ReduceStep{reduce.reduction, root.node->dtype, reduce.reduced, std::nullopt};
    bool whole = true;
    Shape shape = loop.shape();
    Shape chunk = loop.chunk_shape();
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      if (!reduce.reduced[axis]) continue;
      whole = whole && loop.counts()[axis] == 1;
      shape[axis] = loop.counts()[axis];
      chunk[axis] = 1;
    }
    if (whole) {
      output.reduce->finish_count = reduced_count(*purpose.reduction);
      output.grid = reduced_grid(loop, reduce.reduced, reduce.keepdims);
      output.dtype = purpose.reduction->dtype;
    } else {
      output.grid = ChunkGrid(shape, chunk);
      output.dtype = accumulator_dtype(reduce.reduction, root.node->dtype);
    }
    return output;
  }

  ops::OpInput input_for(const NodePtr& node, const ops::IndexMap& map) {
    ops::OpInput input;
    input.dtype = node->dtype;
    input.map = map;
    if (const auto* source = std::get_if<SourceNode>(&node->detail)) {
      input.from = ops::DatasetInput{source->source};
    } else if (const auto* range = std::get_if<RangeNode>(&node->detail)) {
      input.from = ops::RangeInput{*range, element_count(node->shape())};
    } else {
      if (std::holds_alternative<SyntheticNode>(node->detail))
        throw UsageError("synthetic work has no values to compute with", "use it only in after=");
      const auto found = residents_.find(node.get());
      check(found != residents_.end(), "an op reads what no earlier op makes");
      input.from = ops::ResidentInput{found->second.op, found->second.part, found->second.layout};
    }
    return input;
  }

  /// Synthetic work and what it comes after, each once.
  std::int32_t add_synthetic(const NodePtr& node) {
    if (const auto known = synthetic_.find(node.get()); known != synthetic_.end()) return known->second;
    const auto& detail = std::get<SyntheticNode>(node->detail);
    ops::Synthetic work{element_count(node->shape()), detail.memory,           detail.touched,
                        detail.cpu_nanoseconds,       detail.wait_nanoseconds, {}};
    for (const auto& before : node->inputs) {
      const auto op = add_synthetic(before);
      work.after.push_back({op, element_count(before->shape())});
    }
    ops_.push_back({unique_name(node->name.empty() ? "synthetic" : node->name), std::move(work), {}});
    return synthetic_[node.get()] = static_cast<std::int32_t>(ops_.size()) - 1;
  }

  static std::string group_name(const RootGroup& group) {
    std::vector<std::string> names;
    for (const auto& root : group)
      for (const auto& purpose : root.purposes) {
        const auto& name = purpose.kind == Purpose::Kind::kReduce ? purpose.reduction->name : root.node->name;
        if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
      }
    if (names.empty()) return "expression";
    return names.size() > 3 ? fmt::format("{}+{} more", names.front(), names.size() - 1)
                            : fmt::format("{}", fmt::join(names, "+"));
  }

  std::string unique_name(const std::string& name) {
    const auto count = ++name_counts_[name];
    return count == 1 ? name : fmt::format("{}-{}", name, count);
  }

  const std::vector<RootGroup>& groups_;
  const Strategy& strategy_;
  std::set<const Node*> made_elsewhere_;
  std::map<const Node*, Resident> residents_;
  std::map<const Node*, std::int32_t> synthetic_;
  std::map<std::string, int> name_counts_;
  std::vector<ops::PhysicalOp> ops_;
};

}  // namespace

std::vector<ops::PhysicalOp> lower(const std::vector<RootGroup>& groups, const std::vector<NodePtr>& synthetic,
                                   const Strategy& strategy) {
  return Lowering(groups, strategy).run(synthetic);
}

}  // namespace brim::planning
