#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kernels/instruction_set.h"
#include "kernels/program.h"

namespace brim::kernels {

/// Writes the scalar as one element of its dtype.
void write_scalar(const Scalar& scalar, std::byte* to);

/// One call of a kernel per tile.
struct Step {
  Kernel kernel = nullptr;
  int arity = 0;
  std::array<ValueId, 3> operands{};
  ValueId result = 0;
  float time_share = 0;  ///< the part of a tile's work that is done when this step is
};

/// A constant's place in the workspace; `filled` where some kernel reads a whole tile of it.
struct ConstantTile {
  Scalar scalar;
  ValueId value = 0;
  bool filled = false;
};

/// Where an output comes from. One output of each computed value is its home: kernels write it there when the output's
/// memory is contiguous. All others are copied.
struct OutputPlan {
  ValueId value = 0;
  std::int64_t item_size = 0;
  bool is_home = false;
};

/// What CompiledProgram::run works from. A value's tile lies at tiles[value] in the workspace, which begins with
/// a table of pointers, one per value.
struct CompiledProgram::Prepared {
  std::vector<std::int64_t> input_sizes;  ///< item sizes
  std::vector<ConstantTile> constants;
  std::vector<Step> steps;
  std::vector<OutputPlan> outputs;
  std::vector<std::int64_t> tiles;
  std::int64_t tile_elements = 0;
  std::int64_t workspace = 0;
};

}  // namespace brim::kernels
