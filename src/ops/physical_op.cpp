#include "ops/physical_op.h"

#include "core/scratch.h"

namespace brim::ops {

std::int64_t part_offset(const BlockLayout& layout, std::size_t part, std::int64_t index) {
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < part; ++i)
    offset += Scratch::cost(element_count(layout[i].grid.box(index).shape()) * item_size(layout[i].dtype));
  return offset;
}

Bytes block_size(const BlockLayout& layout, std::int64_t index) {
  return Bytes(part_offset(layout, layout.size(), index));
}

std::int64_t PhysicalOp::task_count() const {
  struct Count {
    std::int64_t operator()(const Traversal& op) const { return op.loop.chunk_count(); }
    std::int64_t operator()(const Combine& op) const { return op.groups.chunk_count(); }
    std::int64_t operator()(const Synthetic& op) const { return op.tasks; }
  };
  return std::visit(Count{}, detail);
}

std::string_view PhysicalOp::kind() const {
  static constexpr std::array<std::string_view, 3> kNames = {"traversal", "combine", "synthetic"};
  return kNames[detail.index()];
}

BlockLayout PhysicalOp::block() const {
  BlockLayout layout;
  for (const auto& output : outputs)
    if (output.resident) layout.push_back({output.grid, output.dtype});
  return layout;
}

}  // namespace brim::ops
