#include <algorithm>
#include <optional>

#include "core/check.h"
#include "kernels/prepared.h"

namespace brim::kernels {
namespace {

constexpr std::int64_t kAlignment = 64;
/// Bytes of one tile: a handful of them fit the level 1 cache, and the shares of the next tile that are fetched between
/// steps stay below what the CPU can have under way. Measured by bench/kernels: 2048 to 4096 are best in memory, larger
/// tiles gain 5% on data in the level 2 cache and lose 30% in memory.
constexpr std::int64_t kTileBytes = 4096;
/// Programs with many live tiles get shorter ones, to stay in half of a small level 2 cache.
constexpr std::int64_t kWorkingSetBytes = std::int64_t{256} * 1024;
constexpr std::int64_t kLeastTileElements = 256;
/// Between tiles, so that equal indices of two tiles do not share their low address bits: the CPU would take a load
/// to depend on the store before it.
constexpr std::int64_t kTileGap = 3 * kAlignment;

std::int64_t aligned(std::int64_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

/// Fills in a Prepared, in the order of the functions.
class Compiler {
 public:
  Compiler(const Program& program, CompiledProgram::Prepared& prepared) : program_(program), prepared_(prepared) {}

  void run() {
    value_count_ = program_.inputs.size() + program_.constants.size() + program_.instructions.size();
    check(value_count_ <= 65536, "a program has more values than can be numbered");
    validate();
    find_last_uses();
    plan_outputs();
    plan_constants();
    plan_steps();
    place_tiles();
  }

 private:
  static constexpr std::size_t kNever = 0;
  static constexpr std::size_t kAlways = ~std::size_t{0};

  std::size_t first_result() const { return program_.inputs.size() + program_.constants.size(); }
  bool is_constant(ValueId value) const { return value >= program_.inputs.size() && value < first_result(); }

  void validate() const {
    for (std::size_t i = 0; i < program_.instructions.size(); ++i)
      validate(program_.instructions[i], first_result() + i);
    for (const ValueId output : program_.outputs) check(output < value_count_, "an output names no value");
    for (const Scalar& scalar : program_.constants) {
      const std::size_t kind = is_bool(scalar.dtype)               ? 0
                               : is_signed_integer(scalar.dtype)   ? 1
                               : is_unsigned_integer(scalar.dtype) ? 2
                                                                   : 3;
      check(scalar.value.index() == kind, "a constant whose value is not of its dtype");
    }
  }

  void validate(const Instruction& instruction, std::size_t result) const {
    const FunctionFacts& fact = facts(instruction.function);
    for (int i = 0; i < fact.arity; ++i) {
      const ValueId operand = instruction.operands[static_cast<std::size_t>(i)];
      check(operand < result, "an instruction reads a value that is not there yet");
      const bool is_condition = instruction.function == Function::kWhere && i == 0;
      check(program_.dtype_of(operand) == (is_condition ? DType::kBool : instruction.operand_dtype),
            "an operand is not of the instruction's dtype");
    }
    if (instruction.function == Function::kAstype) return;
    const DType gives = fact.gives == Gives::kBool ? DType::kBool : instruction.operand_dtype;
    check(instruction.result_dtype == gives, "an instruction's result is not of its function's dtype");
  }

  /// last_use_[value] is the number (from 1) of the last instruction that reads it. Instructions that no output needs
  /// stay at kNever.
  void find_last_uses() {
    last_use_.assign(value_count_, kNever);
    for (const ValueId output : program_.outputs) last_use_[output] = kAlways;
    for (std::size_t i = program_.instructions.size(); i-- > 0;) {
      if (last_use_[first_result() + i] == kNever) continue;
      const Instruction& instruction = program_.instructions[i];
      for (int k = 0; k < facts(instruction.function).arity; ++k) {
        std::size_t& use = last_use_[instruction.operands[static_cast<std::size_t>(k)]];
        use = std::max(use, i + 1);
      }
    }
  }

  void plan_outputs() {
    std::vector<bool> has_home(value_count_, false);
    for (const ValueId value : program_.outputs) {
      const bool is_home = value >= first_result() && !has_home[value];
      has_home[value] = true;
      prepared_.outputs.push_back({value, item_size(program_.dtype_of(value)), is_home});
    }
    for (const DType dtype : program_.inputs) prepared_.input_sizes.push_back(item_size(dtype));
  }

  void plan_constants() {
    for (std::size_t i = 0; i < program_.constants.size(); ++i) {
      const auto value = static_cast<ValueId>(program_.inputs.size() + i);
      prepared_.constants.push_back({program_.constants[i], value, last_use_[value] == kAlways});
    }
  }

  void plan_steps() {
    float cost = 0;
    for (std::size_t i = 0; i < program_.instructions.size(); ++i) {
      if (last_use_[first_result() + i] == kNever) continue;
      const Instruction& instruction = program_.instructions[i];
      Step step{nullptr, facts(instruction.function).arity, instruction.operands,
                static_cast<ValueId>(first_result() + i), 0};
      for (auto k = static_cast<std::size_t>(step.arity); k < step.operands.size(); ++k)
        step.operands[k] = step.operands[0];
      step.kernel = choose_kernel(instruction, step);
      check(step.kernel != nullptr, "a function does not take the dtype that it is given");
      cost += static_cast<float>(facts(instruction.function).cost);
      step.time_share = cost;
      prepared_.steps.push_back(step);
    }
    for (Step& step : prepared_.steps) step.time_share /= cost;
  }

  /// A kernel that takes the constant as a scalar, where there is one; else constants are read as filled tiles.
  Kernel choose_kernel(const Instruction& instruction, const Step& step) {
    const auto find = kernel_set().find_kernel;
    const bool first = is_constant(step.operands[0]);
    const bool second = is_constant(step.operands[1]);
    if (step.arity == 2 && first != second) {
      const Form form = first ? Form::kFirstIsScalar : Form::kSecondIsScalar;
      const Kernel kernel = find({instruction.function, instruction.operand_dtype, instruction.result_dtype, form});
      if (kernel) return kernel;
    }
    for (int k = 0; k < step.arity; ++k) {
      const ValueId operand = step.operands[static_cast<std::size_t>(k)];
      if (is_constant(operand)) prepared_.constants[operand - program_.inputs.size()].filled = true;
    }
    return find({instruction.function, instruction.operand_dtype, instruction.result_dtype, Form::kTiles});
  }

  /// Linear scan: a step's result takes a tile whose value was read for the last time before it, or a new one. Results
  /// never share a tile with their operands, inputs and constants keep theirs.
  std::vector<int> assign_registers() {
    std::vector<int> registers(value_count_, -1);
    std::vector<int> unused;
    for (const Step& step : prepared_.steps) {
      if (unused.empty()) unused.push_back(register_count_++);
      registers[step.result] = unused.back();
      unused.pop_back();
      const std::size_t number = step.result - first_result() + 1;
      for (int k = 0; k < step.arity; ++k) {
        const ValueId operand = step.operands[static_cast<std::size_t>(k)];
        const bool repeated =
            std::find(step.operands.begin(), step.operands.begin() + k, operand) != step.operands.begin() + k;
        if (operand >= first_result() && last_use_[operand] == number && !repeated)
          unused.push_back(registers[operand]);
      }
    }
    return registers;
  }

  std::int64_t widest() const {
    std::int64_t widest = 1;
    for (std::size_t value = 0; value < value_count_; ++value)
      widest = std::max(widest, item_size(program_.dtype_of(static_cast<ValueId>(value))));
    return widest;
  }

  void place_tiles() {
    const std::vector<int> registers = assign_registers();
    const std::int64_t tile_count = register_count_ + static_cast<std::int64_t>(first_result());
    const std::int64_t elements = std::min(kTileBytes, kWorkingSetBytes / (tile_count + 1)) / widest();
    prepared_.tile_elements = std::max(kLeastTileElements, elements / kAlignment * kAlignment);
    const std::int64_t tile_bytes = prepared_.tile_elements * widest() + kTileGap;

    std::int64_t end = aligned(static_cast<std::int64_t>(value_count_ * sizeof(void*)));
    const auto take = [&] {
      end += tile_bytes;
      return end - tile_bytes;
    };
    std::vector<std::int64_t> register_tiles;
    for (int i = 0; i < register_count_; ++i) register_tiles.push_back(take());
    prepared_.tiles.assign(value_count_, 0);
    for (std::size_t value = 0; value < value_count_; ++value) {
      if (value < first_result())
        prepared_.tiles[value] = take();
      else if (registers[value] >= 0)
        prepared_.tiles[value] = register_tiles[static_cast<std::size_t>(registers[value])];
    }
    prepared_.workspace = end + kAlignment;
  }

  const Program& program_;
  CompiledProgram::Prepared& prepared_;
  std::size_t value_count_ = 0;
  std::vector<std::size_t> last_use_;
  int register_count_ = 0;
};

}  // namespace

CompiledProgram::CompiledProgram(const Program& program) {
  auto prepared = std::make_unique<Prepared>();
  Compiler(program, *prepared).run();
  prepared_ = std::move(prepared);
}

CompiledProgram::~CompiledProgram() = default;
CompiledProgram::CompiledProgram(CompiledProgram&&) noexcept = default;
CompiledProgram& CompiledProgram::operator=(CompiledProgram&&) noexcept = default;

Bytes CompiledProgram::workspace() const { return Bytes(prepared_->workspace); }

}  // namespace brim::kernels
