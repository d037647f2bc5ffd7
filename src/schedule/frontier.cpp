#include "schedule/frontier.h"

#include <algorithm>
#include <bit>

#include "core/check.h"

namespace brim::schedule {
namespace {

/// The strand is in the upper bits of a task's order: earlier strands go first.
constexpr int kStrandShift = 44;
/// Dependencies that tasks of one strand may wait for together before its window stops growing.
constexpr std::int64_t kWaitingEdgeLimit = 1 << 16;

/// Sizes of one class differ by less than 1/8.
std::uint64_t size_class(Bytes size) {
  const auto count = static_cast<std::uint64_t>(size.count());
  const auto width = static_cast<int>(std::bit_width(count));
  if (width <= 4) return count;
  return static_cast<std::uint64_t>(width) * 8 + ((count >> (width - 4)) & 7U);
}

}  // namespace

Frontier::Frontier(const TaskGraph& graph, const std::vector<OpFacts>& facts)
    : graph_(&graph), root_count_(root_count(facts)), seen_(facts), done_(facts), done_by_op_(facts.size()) {
  std::uint64_t strand = 0;
  for (const auto op : sequential_entries(facts))
    strands_.push_back({SequentialWalk(graph, facts, op), 0, 0, strand++ << kStrandShift});
  for (const auto& op : facts) task_count_ += op.task_count;
}

void Frontier::look_ahead(std::int64_t target) {
  bool roots_exhausted = true;
  for (std::size_t strand = 0; strand < root_count_; ++strand) {
    look_ahead(strand, target);
    roots_exhausted = roots_exhausted && strands_[strand].walk.exhausted();
  }
  // The others enter one after the other, each where the one before has ended.
  for (std::size_t strand = root_count_; roots_exhausted && strand < strands_.size(); ++strand) {
    look_ahead(strand, target);
    if (!strands_[strand].walk.exhausted()) break;
  }
}

void Frontier::look_ahead(std::size_t strand, std::int64_t target) {
  auto& state = strands_[strand];
  while (state.ready < target && state.waiting_edges < kWaitingEdgeLimit) {
    const auto task = state.walk.find_current(seen_);
    if (!task) break;
    seen_.set(*task);
    if (done_.test(*task)) continue;  // by an earlier run
    bring_up(strand, *task, state.walk.dependencies());
  }
}

void Frontier::bring_up(std::size_t strand, TaskId task, std::span<const TaskId> dependencies) {
  auto& state = strands_[strand];
  const auto order = state.next_order++;
  const auto is_unmet = [this](TaskId dependency) { return !done_.test(dependency); };
  const auto unmet = std::count_if(dependencies.begin(), dependencies.end(), is_unmet);
  if (unmet == 0) return make_ready(order, task);
  std::uint32_t waiting = static_cast<std::uint32_t>(waiting_.size());
  if (free_waiting_.empty()) {
    waiting_.emplace_back();
  } else {
    waiting = free_waiting_.back();
    free_waiting_.pop_back();
  }
  waiting_[waiting] = {order, task, unmet};
  state.waiting_edges += unmet;
  for (const auto dependency : dependencies)
    if (is_unmet(dependency)) wait_for(waiting, dependency);
}

void Frontier::wait_for(std::uint32_t waiting, TaskId dependency) {
  auto edge = static_cast<std::int64_t>(edges_.size());
  if (free_edges_.empty()) {
    edges_.emplace_back();
  } else {
    edge = free_edges_.back();
    free_edges_.pop_back();
  }
  auto& first = first_edge_.try_emplace(dependency, -1).first->second;
  edges_[static_cast<std::size_t>(edge)] = {waiting, first};
  first = edge;
}

void Frontier::skip(TaskId task) {
  check(!done_.test(task), "a task is done twice");
  done_.set(task);
  ++done_count_;
  ++done_by_op_[static_cast<std::size_t>(task.op)];
}

void Frontier::on_done(TaskId task) {
  skip(task);
  const auto found = first_edge_.find(task);
  if (found == first_edge_.end()) return;
  auto edge = found->second;
  first_edge_.erase(found);
  while (edge >= 0) {
    const auto [index, next] = edges_[static_cast<std::size_t>(edge)];
    free_edges_.push_back(edge);
    edge = next;
    auto& waiting = waiting_[index];
    --strand_of(waiting.order).waiting_edges;
    if (--waiting.unmet > 0) continue;
    free_waiting_.push_back(index);
    make_ready(waiting.order, waiting.task);
  }
}

void Frontier::make_ready(std::uint64_t order, TaskId task) {
  const ReadyTask ready{order, task, graph_->memory(task)};
  news_.push_back(ready);
  insert(ready);
}

void Frontier::put_back(const ReadyTask& task) { insert(task); }

void Frontier::insert(const ReadyTask& task) {
  const auto index = group_of(task);
  auto& group = groups_[index];
  if (!group.empty()) candidates_.erase({group.begin()->first, index});
  group.emplace(task.order, task);
  candidates_.insert({group.begin()->first, index});
  const bool added = ready_.emplace(task.task, Place{index, task.order}).second;
  check(added, "a task became ready twice");
  ++strand_of(task.order).ready;
}

ReadyTask Frontier::take(TaskId task) {
  const auto found = ready_.find(task);
  check(found != ready_.end(), "a task was started that is not ready");
  const auto [index, order] = found->second;
  ready_.erase(found);
  auto& group = groups_[index];
  candidates_.erase({group.begin()->first, index});
  const auto entry = group.find(order);
  const auto taken = entry->second;
  group.erase(entry);
  if (!group.empty()) candidates_.insert({group.begin()->first, index});
  --strand_of(order).ready;
  return taken;
}

const ReadyTask* Frontier::find_ready(TaskId task) const {
  const auto found = ready_.find(task);
  if (found == ready_.end()) return nullptr;
  return &groups_[found->second.group].at(found->second.order);
}

const ReadyTask* Frontier::find_candidate(std::uint64_t order) const {
  const auto found = candidates_.lower_bound({order, 0});
  return found == candidates_.end() ? nullptr : &groups_[found->second].begin()->second;
}

std::size_t Frontier::group_of(const ReadyTask& task) {
  const auto key = (static_cast<std::uint64_t>(task.task.op) << 20U) | (size_class(task.memory.temporary) << 10U) |
                   size_class(task.memory.resident);
  const auto [found, added] = group_by_key_.try_emplace(key, groups_.size());
  if (added) groups_.emplace_back();
  return found->second;
}

Frontier::Strand& Frontier::strand_of(std::uint64_t order) {
  return strands_[static_cast<std::size_t>(order >> kStrandShift)];
}

}  // namespace brim::schedule
