#pragma once

#include <initializer_list>
#include <vector>

#include "kernels/view.h"

namespace brim::kernels {

/// The loops over a shape for several operands at once, made as few and as long as their strides allow: axes of extent
/// 1 are dropped, axes are ordered from large strides to small ones (those of earlier operands decide first), and
/// neighbours that are contiguous for every operand become one. The visiting order of elements may change.
class LoopNest {
 public:
  /// One entry of strides per operand.
  LoopNest(const Shape& shape, std::vector<Strides> strides);

  int rank() const { return rank_; }
  std::int64_t extent(int axis) const { return extents_[static_cast<std::size_t>(axis)]; }
  std::int64_t stride(std::size_t operand, int axis) const { return strides_[operand][static_cast<std::size_t>(axis)]; }
  /// Elements of the innermost loop; 1 at rank 0.
  std::int64_t inner_extent() const { return rank_ == 0 ? 1 : extent(rank_ - 1); }
  std::int64_t inner_stride(std::size_t operand) const { return rank_ == 0 ? 0 : stride(operand, rank_ - 1); }
  /// Elements of all loops.
  std::int64_t size() const { return size_; }
  /// True where walking the loops in order goes through the operand's memory in steps of item_size.
  bool is_contiguous(std::size_t operand, std::int64_t item_size) const;
  /// True where every index reads the same element.
  bool is_constant(std::size_t operand) const;

 private:
  bool should_swap(int outer, int inner) const;
  void order_axes();
  void merge_axes();

  int rank_ = 0;
  std::int64_t size_ = 1;
  Strides extents_{};
  std::vector<Strides> strides_;
};

/// A place in the loops, moved in runs along the innermost one.
class LoopIndex {
 public:
  LoopIndex(const LoopNest& nest, std::int64_t flat);
  /// Bytes from the operand's first element to this place.
  std::int64_t offset(std::size_t operand) const;
  /// Elements from here to the end of the innermost loop.
  std::int64_t left_in_run() const;
  /// Moves by `count` <= left_in_run().
  void advance(std::int64_t count);

 private:
  const LoopNest& nest_;
  Strides index_{};
};

/// The loops of a nest but for some axes, which an inner routine walks.
class OuterLoops {
 public:
  OuterLoops(const LoopNest& nest, std::initializer_list<int> inner_axes);
  /// How many inner walks there are.
  std::int64_t size() const { return size_; }
  /// Bytes from the operand's first element to the start of inner walk number `flat`.
  std::int64_t offset(std::int64_t flat, std::size_t operand) const;

 private:
  const LoopNest& nest_;
  std::vector<int> axes_;
  std::int64_t size_ = 1;
};

}  // namespace brim::kernels
