#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "brim/bytes.h"
#include "core/archive.h"
#include "core/function.h"
#include "core/scalar.h"
#include "kernels/view.h"

namespace brim::kernels {

/// Names a value of a Program: inputs come first, then constants, then the results of the instructions in order.
using ValueId = std::uint16_t;

/// One elementwise function. Every operand already has `operand_dtype` (the builder inserts kAstype), except the
/// condition of kWhere, which is bool.
struct Instruction {
  Function function = Function::kAdd;
  DType operand_dtype = DType::kFloat64;
  DType result_dtype = DType::kFloat64;
  std::array<ValueId, 3> operands{};  ///< the first facts(function).arity of them count
};

/// An elementwise expression with any number of inputs and outputs, as a straight line of instructions. A plain value:
/// the planner builds it, the archive carries it, CompiledProgram runs it.
struct Program {
  std::vector<DType> inputs;
  std::vector<Scalar> constants;
  std::vector<Instruction> instructions;
  std::vector<ValueId> outputs;  ///< may name inputs and constants too

  DType dtype_of(ValueId value) const;
  void put(ArchiveWriter& archive) const;
  static Program get(ArchiveReader& archive);
};

/// A Program made ready for this machine: registers assigned, kernels of the best instruction set chosen.
/// Immutable after construction; run() may be called from several threads with a workspace each.
class CompiledProgram {
 public:
  /// Throws InternalError for a program that is not well formed.
  explicit CompiledProgram(const Program& program);
  struct Prepared;
  ~CompiledProgram();
  CompiledProgram(CompiledProgram&&) noexcept;
  CompiledProgram& operator=(CompiledProgram&&) noexcept;

  /// Bytes of workspace that run() needs, whatever the shape.
  Bytes workspace() const;

  /// Evaluates the program for every index of `shape`; inputs[i] and outputs[i] belong to program.inputs[i] and
  /// program.outputs[i]. Outputs may not overlap inputs or one another. Any strides, empty and 0-d shapes included.
  /// The value of an element depends on its operands alone, never on its place in a tile or in the shape.
  void run(const Shape& shape, std::span<const ConstView> inputs, std::span<const View> outputs,
           std::span<std::byte> workspace) const;

 private:
  std::unique_ptr<const Prepared> prepared_;
};

/// "avx512", "avx2" or "baseline": the instruction set that kernels run with on this CPU.
std::string_view instruction_set();

/// scalar as `dtype`, by NumPy's rules of conversion.
Scalar convert(const Scalar& scalar, DType dtype);

}  // namespace brim::kernels
