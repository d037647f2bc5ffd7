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
///
/// Values are NumPy's. Basic arithmetic, comparisons, rounding, sqrt, copysign and conversions are the same bits by
/// every instruction set; the other functions are within 4 units in the last place of the exact value (most within 2;
/// logaddexp: of the larger argument where they cancel), so that two instruction sets may differ by that much. Where
/// NumPy leaves it to the machine or refuses:
/// - integers wrap around; division by zero gives 0; shifts by less than nothing or by the width and more give 0, or -1
///   for a negative number shifted right; a negative integer exponent gives 1 or -1 for these bases, else 0;
/// - a float that does not fit (NaN, infinite, too large) converts as on x86: to int32 and int64 as their smallest
/// value;
///   to smaller integers by way of int32, to uint32 by way of int64, of which the low bits are kept; to uint64 by way
///   of int64, from 2^63 on less 2^63 with the top bit turned over;
/// - maximum and minimum give the first operand where both are equal (zeros of either sign) or it is NaN.
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

/// "avx512", "avx2" or "baseline": the instruction set that kernels run with, the best that this CPU has. The
/// environment variable BRIM_INSTRUCTION_SET names a lesser one (for tests); a name that is unknown or not to be had
/// changes nothing. Read once per process.
std::string_view instruction_set();

/// scalar as `dtype`, by NumPy's rules of conversion.
Scalar convert(const Scalar& scalar, DType dtype);

}  // namespace brim::kernels
