#include "kernels/loop_nest.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace brim::kernels {

LoopNest::LoopNest(const Shape& shape, std::vector<Strides> strides) : strides_(std::move(strides)) {
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    size_ *= shape[axis];
    if (shape[axis] == 1) continue;
    extents_[static_cast<std::size_t>(rank_)] = shape[axis];
    for (auto& operand : strides_) operand[static_cast<std::size_t>(rank_)] = operand[axis];
    ++rank_;
  }
  order_axes();
  merge_axes();
}

bool LoopNest::should_swap(int outer, int inner) const {
  for (std::size_t operand = 0; operand < strides_.size(); ++operand) {
    const std::int64_t a = std::abs(stride(operand, outer));
    const std::int64_t b = std::abs(stride(operand, inner));
    if (a != 0 && b != 0 && a != b) return a < b;
  }
  return false;
}

void LoopNest::order_axes() {
  for (int last = 1; last < rank_; ++last)
    for (int axis = last; axis > 0 && should_swap(axis - 1, axis); --axis) {
      const auto a = static_cast<std::size_t>(axis);
      std::swap(extents_[a - 1], extents_[a]);
      for (auto& operand : strides_) std::swap(operand[a - 1], operand[a]);
    }
}

void LoopNest::merge_axes() {
  int merged = 0;
  for (int axis = 1; axis < rank_; ++axis) {
    bool joined = true;
    for (std::size_t operand = 0; operand < strides_.size(); ++operand)
      joined = joined && stride(operand, merged) == stride(operand, axis) * extent(axis);
    const auto from = static_cast<std::size_t>(axis);
    const auto to = static_cast<std::size_t>(joined ? merged : merged + 1);
    extents_[to] = joined ? extents_[to] * extents_[from] : extents_[from];
    for (auto& operand : strides_) operand[to] = operand[from];
    merged = static_cast<int>(to);
  }
  if (rank_ > 0) rank_ = merged + 1;
}

bool LoopNest::is_contiguous(std::size_t operand, std::int64_t item_size) const {
  std::int64_t step = item_size;
  for (int axis = rank_ - 1; axis >= 0; --axis) {
    if (stride(operand, axis) != step) return false;
    step *= extent(axis);
  }
  return true;
}

bool LoopNest::is_constant(std::size_t operand) const {
  for (int axis = 0; axis < rank_; ++axis)
    if (stride(operand, axis) != 0) return false;
  return true;
}

LoopIndex::LoopIndex(const LoopNest& nest, std::int64_t flat) : nest_(nest) {
  for (int axis = nest.rank() - 1; axis >= 0; --axis) {
    index_[static_cast<std::size_t>(axis)] = flat % nest.extent(axis);
    flat /= nest.extent(axis);
  }
}

std::int64_t LoopIndex::offset(std::size_t operand) const {
  std::int64_t bytes = 0;
  for (int axis = 0; axis < nest_.rank(); ++axis)
    bytes += index_[static_cast<std::size_t>(axis)] * nest_.stride(operand, axis);
  return bytes;
}

std::int64_t LoopIndex::left_in_run() const {
  return nest_.rank() == 0 ? 1 : nest_.inner_extent() - index_[static_cast<std::size_t>(nest_.rank() - 1)];
}

void LoopIndex::advance(std::int64_t count) {
  int axis = nest_.rank() - 1;
  if (axis < 0) return;
  index_[static_cast<std::size_t>(axis)] += count;
  while (axis > 0 && index_[static_cast<std::size_t>(axis)] == nest_.extent(axis)) {
    index_[static_cast<std::size_t>(axis)] = 0;
    ++index_[static_cast<std::size_t>(--axis)];
  }
}

OuterLoops::OuterLoops(const LoopNest& nest, std::initializer_list<int> inner_axes) : nest_(nest) {
  for (int axis = 0; axis < nest.rank(); ++axis) {
    if (std::find(inner_axes.begin(), inner_axes.end(), axis) != inner_axes.end()) continue;
    axes_.push_back(axis);
    size_ *= nest.extent(axis);
  }
}

std::int64_t OuterLoops::offset(std::int64_t flat, std::size_t operand) const {
  std::int64_t bytes = 0;
  for (auto axis = axes_.rbegin(); axis != axes_.rend(); ++axis) {
    bytes += flat % nest_.extent(*axis) * nest_.stride(operand, *axis);
    flat /= nest_.extent(*axis);
  }
  return bytes;
}

}  // namespace brim::kernels
