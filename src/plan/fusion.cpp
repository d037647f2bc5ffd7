#include "plan/fusion.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "core/check.h"

namespace brim::planning {
namespace {

using NodeSet = std::set<const Node*>;

/// A root with what its traversal would read and compute.
struct Analysed {
  Root root;
  std::vector<NodePtr> leaves;
  std::vector<ops::ProgramBuilder::Use> computed;
  NodeSet overflow;
};

bool is_reduce(const Node& node) { return std::holds_alternative<ReduceNode>(node.detail); }

Analysed analyse(Root root, const NodeSet& made_elsewhere) {
  ops::ProgramBuilder builder(made_elsewhere);
  builder.add_root(root.node);
  Analysed result{std::move(root), {}, builder.computed(), builder.overflow()};
  for (const auto& [node, map] : builder.leaves()) result.leaves.push_back(node);
  return result;
}

/// Gathers the roots that the stores need, one per node and loop, with all their purposes.
class RootFinder {
 public:
  /// Nodes at which a program had to be cut are added to `made_elsewhere`.
  explicit RootFinder(NodeSet& made_elsewhere) : made_elsewhere_(made_elsewhere) {}

  std::vector<Analysed> find(const std::vector<StoreDemand>& stores) {
    for (const auto& store : stores) demand(store.node, store.loop, {Purpose::Kind::kStore, store.target, nullptr});
    // demand() appends while this loop runs.
    for (std::size_t i = 0; i < roots_.size(); ++i) {
      made_elsewhere_.insert(roots_[i].overflow.begin(), roots_[i].overflow.end());
      for (const auto& leaf : std::vector<NodePtr>(roots_[i].leaves)) demand_leaf(leaf);
    }
    return std::move(roots_);
  }

 private:
  void demand_leaf(const NodePtr& leaf) {
    if (!is_reduce(*leaf) && !made_elsewhere_.contains(leaf.get())) return;
    if (!seen_leaves_.insert(leaf.get()).second) return;
    if (!is_reduce(*leaf)) return demand(leaf, leaf->grid, {Purpose::Kind::kKeep, -1, nullptr});
    const auto& input = leaf->inputs.front();
    demand(input, input->grid, {Purpose::Kind::kReduce, -1, leaf});
  }

  void demand(const NodePtr& node, const ChunkGrid& loop, const Purpose& purpose) {
    for (auto& known : roots_)
      if (known.root.node == node && known.root.loop == loop) return known.root.purposes.push_back(purpose);
    roots_.push_back(analyse({node, loop, {purpose}, 0}, made_elsewhere_));
  }

  NodeSet& made_elsewhere_;
  std::vector<Analysed> roots_;
  NodeSet seen_leaves_;
};

/// Levels: a root stands above every root whose result it reads.
class Levels {
 public:
  explicit Levels(std::vector<Analysed>& roots) : roots_(roots), known_(roots.size(), -1) {
    for (std::size_t i = 0; i < roots.size(); ++i)
      for (const auto& purpose : roots[i].root.purposes) {
        if (purpose.kind == Purpose::Kind::kReduce) maker_[purpose.reduction.get()] = i;
        if (purpose.kind == Purpose::Kind::kKeep) maker_[roots[i].root.node.get()] = i;
      }
    for (std::size_t i = 0; i < roots.size(); ++i) roots[i].root.level = level(i);
  }

 private:
  int level(std::size_t i) {
    if (known_[i] >= 0) return known_[i];
    int result = 0;
    for (const auto& leaf : roots_[i].leaves) {
      const auto maker = maker_.find(leaf.get());
      if (maker != maker_.end() && maker->second != i) result = std::max(result, level(maker->second) + 1);
    }
    return known_[i] = result;
  }

  std::vector<Analysed>& roots_;
  std::vector<int> known_;
  std::map<const Node*, std::size_t> maker_;
};

/// Work to compute one element of a node from its leaves, in additions.
class ElementCost {
 public:
  explicit ElementCost(const NodeSet& made_elsewhere) : made_elsewhere_(made_elsewhere) {}

  std::int64_t of(const Node& node) {
    const auto* elementwise = std::get_if<ElementwiseNode>(&node.detail);
    const bool index = std::holds_alternative<IndexNode>(node.detail);
    if (elementwise == nullptr && !index) return 0;
    if (const auto known = known_.find(&node); known != known_.end()) return known->second;
    std::int64_t cost = elementwise != nullptr ? facts(elementwise->function).cost : 0;
    for (const auto& input : node.inputs)
      if (!made_elsewhere_.contains(input.get())) cost = std::min<std::int64_t>(cost + of(*input), 1'000'000);
    return known_[&node] = cost;
  }

 private:
  const NodeSet& made_elsewhere_;
  std::map<const Node*, std::int64_t> known_;
};

/// From this many additions an element is worth keeping: one exp or so. Keeping costs a write and a read of memory,
/// about as much as a handful of additions a core.
constexpr std::int64_t kExpensive = 8;

/// The nodes nearest to the outputs that would be computed more than once per element and are expensive: needed by
/// several loops, read at several offsets, or repeated along broadcast axes.
NodeSet find_expensive(const std::vector<Analysed>& roots, const NodeSet& made_elsewhere) {
  using Context = std::tuple<Shape, Shape, int, ops::IndexMap>;
  std::map<const Node*, std::map<Context, std::int64_t>> contexts;
  for (const auto& analysed : roots)
    for (const auto& [node, map] : analysed.computed) {
      const auto& loop = analysed.root.loop;
      contexts[node][{loop.shape(), loop.chunk_shape(), analysed.root.level, map}] = element_count(loop.shape());
    }
  NodeSet roots_themselves;
  for (const auto& analysed : roots) roots_themselves.insert(analysed.root.node.get());
  ElementCost cost(made_elsewhere);
  NodeSet found;
  for (const auto& [node, uses] : contexts) {
    double evaluations = 0;
    for (const auto& [context, elements] : uses) evaluations += static_cast<double>(elements);
    const bool repeated = evaluations > 1.5 * static_cast<double>(element_count(node->shape()));
    if (repeated && cost.of(*node) >= kExpensive && !made_elsewhere.contains(node)) found.insert(node);
  }
  // What lies below another candidate is computed once already when that one is kept.
  NodeSet below;
  for (const auto* node : found)
    for (const auto& input : node->inputs) below.insert(input.get());
  NodeSet top;
  for (const auto* node : found)
    if (!below.contains(node)) top.insert(node);
  return top.empty() ? found : top;
}

/// Roots over one loop and level that share a leaf or a computed use, one after the other joined to the same group.
std::vector<RootGroup> group(const std::vector<Analysed>& roots, bool merge) {
  std::vector<RootGroup> groups;
  std::vector<std::set<const Node*>> touched;
  for (const auto& analysed : roots) {
    std::set<const Node*> own;
    for (const auto& leaf : analysed.leaves) own.insert(leaf.get());
    for (const auto& use : analysed.computed) own.insert(use.first);
    std::size_t home = groups.size();
    for (std::size_t i = 0; merge && i < groups.size() && home == groups.size(); ++i) {
      const auto& other = groups[i].front();
      if (other.level != analysed.root.level || !(other.loop == analysed.root.loop)) continue;
      if (std::any_of(own.begin(), own.end(), [&](const Node* n) { return touched[i].contains(n); })) home = i;
    }
    if (home == groups.size()) {
      groups.emplace_back();
      touched.emplace_back();
    }
    groups[home].push_back(analysed.root);
    touched[home].insert(own.begin(), own.end());
  }
  std::stable_sort(groups.begin(), groups.end(),
                   [](const RootGroup& a, const RootGroup& b) { return a.front().level < b.front().level; });
  return groups;
}

}  // namespace

std::vector<RootGroup> fuse(const std::vector<StoreDemand>& stores, const Strategy& strategy) {
  NodeSet made_elsewhere;
  for (;;) {
    auto roots = RootFinder(made_elsewhere).find(stores);
    const Levels levels(roots);
    const auto size_before = made_elsewhere.size();
    if (strategy.keep_expensive) made_elsewhere.merge(find_expensive(roots, made_elsewhere));
    if (made_elsewhere.size() == size_before) return group(roots, strategy.merge);
  }
}

}  // namespace brim::planning
