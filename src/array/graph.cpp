#include "array/graph.h"

#include <iterator>

#include "brim/array.h"

namespace brim {

Node::~Node() {
  // A chain of a hundred thousand nodes would recurse as deep: nodes that die while another one is being taken apart
  // leave their inputs to that one's loop.
  thread_local std::vector<NodePtr>* waiting = nullptr;
  if (waiting != nullptr) {
    waiting->insert(waiting->end(), std::make_move_iterator(inputs.begin()), std::make_move_iterator(inputs.end()));
    return;
  }
  std::vector<NodePtr> released = std::move(inputs);
  waiting = &released;
  while (!released.empty()) {
    const NodePtr last = std::move(released.back());
    released.pop_back();
  }
  waiting = nullptr;
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
