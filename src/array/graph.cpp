#include "array/graph.h"

#include "brim/array.h"

namespace brim {

Node::~Node() {
  // A chain of a hundred thousand nodes would recurse as deep: take apart what only this node holds, one by one.
  std::vector<NodePtr> doomed = std::move(inputs);
  while (!doomed.empty()) {
    const NodePtr last = std::move(doomed.back());
    doomed.pop_back();
    if (last.use_count() != 1) continue;
    auto& orphans = const_cast<Node&>(*last).inputs;  // nobody else can see it any more
    doomed.insert(doomed.end(), std::make_move_iterator(orphans.begin()), std::make_move_iterator(orphans.end()));
    orphans.clear();
  }
}

DType Array::dtype() const { return node_->dtype; }
const Shape& Array::shape() const { return node_->shape(); }
const ChunkGrid& Array::grid() const { return node_->grid; }
int Array::ndim() const { return node_->grid.rank(); }
std::int64_t Array::size() const { return element_count(node_->shape()); }

Array named(const Array& array, std::string name) {
  const auto& node = *array.node();
  return make_array(node.dtype, node.grid, node.inputs, node.detail, std::move(name));
}

Array make_array(DType dtype, ChunkGrid grid, std::vector<NodePtr> inputs, NodeDetail detail, std::string name) {
  auto node = std::make_shared<Node>();
  node->dtype = dtype;
  node->grid = std::move(grid);
  node->inputs = std::move(inputs);
  node->detail = std::move(detail);
  node->name = std::move(name);
  return Array(std::move(node));
}

}  // namespace brim
