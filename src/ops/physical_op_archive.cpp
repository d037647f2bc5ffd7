#include "core/check.h"
#include "ops/physical_op.h"

// How physical operations cross the process boundary: every put has its get beside it, field by field.
namespace brim::ops {
namespace {

template <typename T, typename PutOne>
void put_optional(ArchiveWriter& archive, const std::optional<T>& value, PutOne put_one) {
  archive.put(value.has_value());
  if (value) put_one(archive, *value);
}

template <typename T, typename GetOne>
std::optional<T> get_optional(ArchiveReader& archive, GetOne get_one) {
  if (!archive.get<bool>()) return std::nullopt;
  return get_one(archive);
}

constexpr auto kPutPlain = [](ArchiveWriter& archive, auto value) { archive.put(value); };

void put_part(ArchiveWriter& archive, const BlockPart& part) {
  archive.put(part.grid);
  archive.put(part.dtype);
}

BlockPart get_part(ArchiveReader& archive) {
  BlockPart part;
  part.grid = archive.get_grid();
  part.dtype = archive.get<DType>();
  return part;
}

void put_spill(ArchiveWriter& archive, const Spill& spill) {
  archive.put(spill.start);
  archive.put(spill.distance);
}

Spill get_spill(ArchiveReader& archive) {
  Spill spill;
  spill.start = archive.get<std::int64_t>();
  spill.distance = archive.get<std::int64_t>();
  return spill;
}

void put_from(ArchiveWriter& archive, const DatasetInput& from) { from.source.put(archive); }
void put_from(ArchiveWriter& archive, const ResidentInput& from) {
  archive.put(from.op);
  archive.put(from.part);
  archive.put_all(from.layout, put_part);
  put_optional(archive, from.spill, put_spill);
}
void put_from(ArchiveWriter& archive, const RangeInput& from) {
  archive.put(from.range.start);
  archive.put(from.range.step);
  put_optional(archive, from.range.last, kPutPlain);
  archive.put(from.count);
}

ResidentInput get_resident(ArchiveReader& archive) {
  ResidentInput from;
  from.op = archive.get<std::int32_t>();
  from.part = archive.get<std::int32_t>();
  from.layout = archive.get_all<BlockPart>(get_part);
  from.spill = get_optional<Spill>(archive, get_spill);
  check(from.part >= 0 && static_cast<std::size_t>(from.part) < from.layout.size(),
        "an input names no part of its block");
  return from;
}

RangeInput get_range(ArchiveReader& archive) {
  RangeInput from;
  from.range.start = archive.get_scalar();
  from.range.step = archive.get_scalar();
  from.range.last = get_optional<double>(archive, [](ArchiveReader& in) { return in.get<double>(); });
  from.count = archive.get<std::int64_t>();
  return from;
}

void put_input(ArchiveWriter& archive, const OpInput& input) {
  archive.put(static_cast<std::uint8_t>(input.from.index()));
  std::visit([&](const auto& from) { put_from(archive, from); }, input.from);
  archive.put(input.dtype);
  put(archive, input.map);
}

OpInput get_input(ArchiveReader& archive) {
  OpInput input;
  switch (archive.get<std::uint8_t>()) {
    case 0:
      input.from = DatasetInput{storage::Source::get(archive)};
      break;
    case 1:
      input.from = get_resident(archive);
      break;
    default:
      input.from = get_range(archive);
      break;
  }
  input.dtype = archive.get<DType>();
  input.map = get_index_map(archive);
  return input;
}

void put_reduce(ArchiveWriter& archive, const ReduceStep& step) {
  archive.put(step.reduction);
  archive.put(step.dtype);
  archive.put(static_cast<std::uint64_t>(step.reduced.size()));
  for (const bool reduced : step.reduced) archive.put(reduced);
  put_optional(archive, step.finish_count, kPutPlain);
}

ReduceStep get_reduce(ArchiveReader& archive) {
  ReduceStep step;
  step.reduction = archive.get<Reduction>();
  step.dtype = archive.get<DType>();
  step.reduced = archive.get_all<bool>([](ArchiveReader& in) { return in.get<bool>(); });
  step.finish_count = get_optional<std::int64_t>(archive, [](ArchiveReader& in) { return in.get<std::int64_t>(); });
  return step;
}

void put_output(ArchiveWriter& archive, const OpOutput& output) {
  archive.put(output.grid);
  archive.put(output.dtype);
  put_optional(archive, output.reduce, put_reduce);
  archive.put(output.resident);
  put_optional(archive, output.target, kPutPlain);
}

OpOutput get_output(ArchiveReader& archive) {
  OpOutput output;
  output.grid = archive.get_grid();
  output.dtype = archive.get<DType>();
  output.reduce = get_optional<ReduceStep>(archive, get_reduce);
  output.resident = archive.get<bool>();
  output.target = get_optional<std::int32_t>(archive, [](ArchiveReader& in) { return in.get<std::int32_t>(); });
  return output;
}

void put_detail(ArchiveWriter& archive, const Traversal& op) {
  archive.put(op.loop);
  archive.put_all(op.inputs, put_input);
  op.program.put(archive);
}
void put_detail(ArchiveWriter& archive, const Combine& op) {
  put_input(archive, op.partials);
  archive.put(op.fan_in);
  archive.put(op.groups);
}
void put_detail(ArchiveWriter& archive, const Synthetic& op) {
  archive.put(op.tasks);
  archive.put(op.memory);
  archive.put(op.touched);
  archive.put(op.cpu_nanoseconds);
  archive.put(op.wait_nanoseconds);
  archive.put_all(op.after, [](ArchiveWriter& out, const Synthetic::After& after) {
    out.put(after.op);
    out.put(after.tasks);
  });
}

Traversal get_traversal(ArchiveReader& archive) {
  Traversal op;
  op.loop = archive.get_grid();
  op.inputs = archive.get_all<OpInput>(get_input);
  op.program = kernels::Program::get(archive);
  return op;
}

Combine get_combine(ArchiveReader& archive) {
  Combine op;
  op.partials = get_input(archive);
  op.fan_in = archive.get_shape();
  op.groups = archive.get_grid();
  return op;
}

Synthetic get_synthetic(ArchiveReader& archive) {
  Synthetic op;
  op.tasks = archive.get<std::int64_t>();
  op.memory = archive.get_bytes();
  op.touched = archive.get_bytes();
  op.cpu_nanoseconds = archive.get<std::int64_t>();
  op.wait_nanoseconds = archive.get<std::int64_t>();
  op.after = archive.get_all<Synthetic::After>([](ArchiveReader& in) {
    Synthetic::After after{};
    after.op = in.get<std::int32_t>();
    after.tasks = in.get<std::int64_t>();
    return after;
  });
  return op;
}

}  // namespace

void PhysicalOp::put(ArchiveWriter& archive) const {
  archive.put(name);
  archive.put(static_cast<std::uint8_t>(detail.index()));
  std::visit([&](const auto& op) { put_detail(archive, op); }, detail);
  archive.put_all(outputs, put_output);
  put_optional(archive, spill, put_spill);
  archive.put(scratch_file);
  archive.put(threads);
}

PhysicalOp PhysicalOp::get(ArchiveReader& archive) {
  PhysicalOp op;
  op.name = archive.get_string();
  switch (archive.get<std::uint8_t>()) {
    case 0:
      op.detail = get_traversal(archive);
      break;
    case 1:
      op.detail = get_combine(archive);
      break;
    default:
      op.detail = get_synthetic(archive);
      break;
  }
  op.outputs = archive.get_all<OpOutput>(get_output);
  op.spill = get_optional<Spill>(archive, get_spill);
  op.scratch_file = archive.get_string();
  op.threads = archive.get<std::int32_t>();
  return op;
}

}  // namespace brim::ops
