#include "kernels/program.h"

#include <cstring>

#include "core/check.h"
#include "kernels/instruction_set.h"

namespace brim::kernels {
namespace {

template <typename T>
void write_as(ScalarValue value, std::byte* to) {
  const T raw = std::visit([](auto held) { return static_cast<T>(held); }, value);
  std::memcpy(to, &raw, sizeof raw);
}

template <typename T, typename Held>
Scalar read_as(DType dtype, const std::byte* from) {
  T raw;
  std::memcpy(&raw, from, sizeof raw);
  return {dtype, static_cast<Held>(raw)};
}

Scalar read_scalar(DType dtype, const std::byte* from) {
  switch (dtype) {
    case DType::kBool:
      return {dtype, *from != std::byte{0}};
    case DType::kInt8:
      return read_as<std::int8_t, std::int64_t>(dtype, from);
    case DType::kInt16:
      return read_as<std::int16_t, std::int64_t>(dtype, from);
    case DType::kInt32:
      return read_as<std::int32_t, std::int64_t>(dtype, from);
    case DType::kInt64:
      return read_as<std::int64_t, std::int64_t>(dtype, from);
    case DType::kUInt8:
      return read_as<std::uint8_t, std::uint64_t>(dtype, from);
    case DType::kUInt16:
      return read_as<std::uint16_t, std::uint64_t>(dtype, from);
    case DType::kUInt32:
      return read_as<std::uint32_t, std::uint64_t>(dtype, from);
    case DType::kUInt64:
      return read_as<std::uint64_t, std::uint64_t>(dtype, from);
    case DType::kFloat32:
      return read_as<float, double>(dtype, from);
    case DType::kFloat64:
      return read_as<double, double>(dtype, from);
  }
  throw InternalError("a dtype out of range");
}

}  // namespace

void write_scalar(const Scalar& scalar, std::byte* to) {
  switch (scalar.dtype) {
    case DType::kBool:
      return write_as<bool>(scalar.value, to);
    case DType::kInt8:
      return write_as<std::int8_t>(scalar.value, to);
    case DType::kInt16:
      return write_as<std::int16_t>(scalar.value, to);
    case DType::kInt32:
      return write_as<std::int32_t>(scalar.value, to);
    case DType::kInt64:
      return write_as<std::int64_t>(scalar.value, to);
    case DType::kUInt8:
      return write_as<std::uint8_t>(scalar.value, to);
    case DType::kUInt16:
      return write_as<std::uint16_t>(scalar.value, to);
    case DType::kUInt32:
      return write_as<std::uint32_t>(scalar.value, to);
    case DType::kUInt64:
      return write_as<std::uint64_t>(scalar.value, to);
    case DType::kFloat32:
      return write_as<float>(scalar.value, to);
    case DType::kFloat64:
      return write_as<double>(scalar.value, to);
  }
}

Scalar convert(const Scalar& scalar, DType dtype) {
  alignas(8) std::byte from[8]{};
  alignas(8) std::byte to[8]{};
  write_scalar(scalar, from);
  const std::byte* operands[] = {from};
  kernel_set().find_kernel({Function::kAstype, scalar.dtype, dtype, Form::kTiles})(operands, to, 1);
  return read_scalar(dtype, to);
}

DType Program::dtype_of(ValueId value) const {
  std::size_t index = value;
  if (index < inputs.size()) return inputs[index];
  index -= inputs.size();
  if (index < constants.size()) return constants[index].dtype;
  index -= constants.size();
  check(index < instructions.size(), "a program names a value that it does not have");
  return instructions[index].result_dtype;
}

namespace {

void put_instruction(ArchiveWriter& archive, const Instruction& instruction) {
  archive.put(instruction.function);
  archive.put(instruction.operand_dtype);
  archive.put(instruction.result_dtype);
  for (const ValueId operand : instruction.operands) archive.put(operand);
}

Instruction get_instruction(ArchiveReader& archive) {
  Instruction instruction;
  instruction.function = archive.get<Function>();
  instruction.operand_dtype = archive.get<DType>();
  instruction.result_dtype = archive.get<DType>();
  for (ValueId& operand : instruction.operands) operand = archive.get<ValueId>();
  return instruction;
}

}  // namespace

void Program::put(ArchiveWriter& archive) const {
  archive.put_all(inputs, [](ArchiveWriter& to, DType dtype) { to.put(dtype); });
  archive.put_all(constants, [](ArchiveWriter& out, const Scalar& constant) { out.put(constant); });
  archive.put_all(instructions, put_instruction);
  archive.put_all(outputs, [](ArchiveWriter& to, ValueId value) { to.put(value); });
}

Program Program::get(ArchiveReader& archive) {
  Program program;
  program.inputs = archive.get_all<DType>([](ArchiveReader& from) { return from.get<DType>(); });
  program.constants = archive.get_all<Scalar>([](ArchiveReader& in) { return in.get_scalar(); });
  program.instructions = archive.get_all<Instruction>(get_instruction);
  program.outputs = archive.get_all<ValueId>([](ArchiveReader& from) { return from.get<ValueId>(); });
  return program;
}

}  // namespace brim::kernels
