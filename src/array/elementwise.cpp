#include <fmt/format.h>

#include <algorithm>

#include "array/promotion.h"
#include "brim/error.h"

// The elementwise functions: who takes which dtypes stands in core/function.cpp; here arrays are promoted, broadcast
// and made into nodes.
namespace brim {
namespace {

bool accepts(Accepts accepts, DType dtype) {
  switch (accepts) {
    case Accepts::kBool:
      return is_bool(dtype);
    case Accepts::kInteger:
      return is_integer(dtype);
    case Accepts::kIntegerOrBool:
      return is_integer(dtype) || is_bool(dtype);
    case Accepts::kRealFloating:
      return is_floating(dtype);
    case Accepts::kRealNumeric:
      return is_numeric(dtype);
    case Accepts::kAny:
      return true;
  }
  return false;
}

std::string_view in_words(Accepts accepts) {
  switch (accepts) {
    case Accepts::kBool:
      return "bools";
    case Accepts::kInteger:
      return "integers";
    case Accepts::kIntegerOrBool:
      return "integers or bools";
    case Accepts::kRealFloating:
      return "floating numbers";
    case Accepts::kRealNumeric:
      return "numbers";
    case Accepts::kAny:
      return "anything";
  }
  return "";
}

/// The dtype that a function computes in for operands of `dtype`: floating functions of integers and bools work in
/// float64, logical ones in bool, arithmetic of bools is refused as in NumPy's subtract, or done in int64.
DType operand_dtype(const FunctionFacts& function, DType dtype) {
  if (accepts(function.accepts, dtype)) return dtype;
  if (function.accepts == Accepts::kRealFloating && !is_floating(dtype)) return DType::kFloat64;
  if (function.accepts == Accepts::kBool) return DType::kBool;
  const auto error = fmt::format("{} of {}: it takes {}", function.name, to_string(dtype), in_words(function.accepts));
  throw UsageError(error, is_bool(dtype) ? "convert the bools first: astype(x, 'int64')"
                                         : "convert first with astype, or use another function");
}

/// Chunks of a result: those of the largest operand, and on axes that it repeats those of the first that has them.
ChunkGrid result_grid(const Shape& shape, const std::vector<Array>& operands) {
  std::vector<const Array*> by_size;
  by_size.reserve(operands.size());
  for (const auto& operand : operands) by_size.push_back(&operand);
  std::stable_sort(by_size.begin(), by_size.end(),
                   [](const Array* a, const Array* b) { return a->size() > b->size(); });
  Shape chunk(shape.size(), 1);
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    for (const auto* operand : by_size) {
      const auto offset = shape.size() - operand->shape().size();
      if (axis < offset || operand->shape()[axis - offset] != shape[axis]) continue;
      chunk[axis] = operand->grid().chunk_shape()[axis - offset];
      break;
    }
  return {shape, chunk};
}

Shape broadcast_all(const std::vector<Array>& operands, std::string_view what) {
  Shape shape;
  for (const auto& operand : operands) {
    try {
      shape = broadcast_shapes(shape, operand.shape());
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("{}: {}", what, error.record().what), error.record().hint);
    }
  }
  return shape;
}

Array node_of(Function function, DType operand, DType result, const std::vector<Array>& operands) {
  const auto shape = broadcast_all(operands, facts(function).name);
  std::vector<NodePtr> inputs;
  inputs.reserve(operands.size());
  for (const auto& array : operands) inputs.push_back(array.node());
  return make_array(result, result_grid(shape, operands), std::move(inputs), ElementwiseNode{function, operand});
}

Array apply(Function function, const std::vector<Operand>& operands) {
  const auto& row = facts(function);
  auto arrays = promoted(operands, row.name);
  const auto dtype = operand_dtype(row, arrays.front().dtype());
  for (auto& array : arrays) array = astype(array, dtype);
  return node_of(function, dtype, row.gives == Gives::kBool ? DType::kBool : dtype, arrays);
}

}  // namespace

Array astype(const Array& x, DType dtype) {
  if (x.dtype() == dtype) return x;
  if (const auto value = find_constant(x)) {
    const auto number = std::visit([](auto held) { return Operand(held); }, value->value);
    // A floating constant keeps the rule of conversions (NaN to integer and so on) that kernels have.
    if (!(is_floating(x.dtype()) && !is_floating(dtype))) return constant(number, dtype, "astype");
  }
  return node_of(Function::kAstype, x.dtype(), dtype, {x});
}

Array where(Array condition, Operand x1, Operand x2) {
  auto arrays = promoted({std::move(x1), std::move(x2)}, "where");
  const auto dtype = arrays.front().dtype();
  if (!is_bool(condition.dtype()))
    throw UsageError(fmt::format("where: the condition is {}, not bool", to_string(condition.dtype())),
                     "compare it: where(x > 0, ...)");
  arrays.insert(arrays.begin(), std::move(condition));
  return node_of(Function::kWhere, dtype, dtype, arrays);
}

Array clip(Operand x, std::optional<Operand> min, std::optional<Operand> max) {
  const auto own = own_dtype(x);
  const bool keeps_dtype = std::holds_alternative<Array>(x.value()) && is_floating(own);
  Operand result = std::move(x);
  if (min) result = maximum(std::move(result), std::move(*min));
  if (max) result = minimum(std::move(result), std::move(*max));
  const auto* limited = std::get_if<Array>(&result.value());
  if (limited == nullptr) return constant(result, own, "clip");
  // Wider bounds do not widen x; bounds that an integer dtype could not hold do, as in NumPy.
  return keeps_dtype ? astype(*limited, own) : *limited;
}

Array pow(Operand x1, Operand x2) {
  const auto arrays = promoted({std::move(x1), std::move(x2)}, "pow");
  const auto exponent = find_constant(arrays.back());
  const auto* whole = exponent ? std::get_if<std::int64_t>(&exponent->value) : nullptr;
  if (whole != nullptr && *whole < 0)
    throw UsageError(fmt::format("pow of {} to the negative power {}: integers have no fractions",
                                 to_string(arrays.front().dtype()), *whole),
                     fmt::format("make it floating: x ** {}.0", *whole));
  return apply(Function::kPow, {arrays.front(), arrays.back()});
}

Array abs(Operand x) { return apply(Function::kAbs, {std::move(x)}); }
Array acos(Operand x) { return apply(Function::kAcos, {std::move(x)}); }
Array acosh(Operand x) { return apply(Function::kAcosh, {std::move(x)}); }
Array asin(Operand x) { return apply(Function::kAsin, {std::move(x)}); }
Array asinh(Operand x) { return apply(Function::kAsinh, {std::move(x)}); }
Array atan(Operand x) { return apply(Function::kAtan, {std::move(x)}); }
Array atanh(Operand x) { return apply(Function::kAtanh, {std::move(x)}); }
Array bitwise_invert(Operand x) { return apply(Function::kBitwiseInvert, {std::move(x)}); }
Array ceil(Operand x) { return apply(Function::kCeil, {std::move(x)}); }
Array cos(Operand x) { return apply(Function::kCos, {std::move(x)}); }
Array cosh(Operand x) { return apply(Function::kCosh, {std::move(x)}); }
Array exp(Operand x) { return apply(Function::kExp, {std::move(x)}); }
Array expm1(Operand x) { return apply(Function::kExpm1, {std::move(x)}); }
Array floor(Operand x) { return apply(Function::kFloor, {std::move(x)}); }
Array isfinite(Operand x) { return apply(Function::kIsfinite, {std::move(x)}); }
Array isinf(Operand x) { return apply(Function::kIsinf, {std::move(x)}); }
Array isnan(Operand x) { return apply(Function::kIsnan, {std::move(x)}); }
Array log(Operand x) { return apply(Function::kLog, {std::move(x)}); }
Array log10(Operand x) { return apply(Function::kLog10, {std::move(x)}); }
Array log1p(Operand x) { return apply(Function::kLog1p, {std::move(x)}); }
Array log2(Operand x) { return apply(Function::kLog2, {std::move(x)}); }
Array logical_not(Operand x) { return apply(Function::kLogicalNot, {std::move(x)}); }
Array negative(Operand x) { return apply(Function::kNegative, {std::move(x)}); }
Array positive(Operand x) { return apply(Function::kPositive, {std::move(x)}); }
Array round(Operand x) { return apply(Function::kRound, {std::move(x)}); }
Array sign(Operand x) { return apply(Function::kSign, {std::move(x)}); }
Array signbit(Operand x) { return apply(Function::kSignbit, {std::move(x)}); }
Array sin(Operand x) { return apply(Function::kSin, {std::move(x)}); }
Array sinh(Operand x) { return apply(Function::kSinh, {std::move(x)}); }
Array sqrt(Operand x) { return apply(Function::kSqrt, {std::move(x)}); }
Array square(Operand x) { return apply(Function::kSquare, {std::move(x)}); }
Array tan(Operand x) { return apply(Function::kTan, {std::move(x)}); }
Array tanh(Operand x) { return apply(Function::kTanh, {std::move(x)}); }
Array trunc(Operand x) { return apply(Function::kTrunc, {std::move(x)}); }
Array add(Operand x1, Operand x2) { return apply(Function::kAdd, {std::move(x1), std::move(x2)}); }
Array atan2(Operand x1, Operand x2) { return apply(Function::kAtan2, {std::move(x1), std::move(x2)}); }
Array bitwise_and(Operand x1, Operand x2) { return apply(Function::kBitwiseAnd, {std::move(x1), std::move(x2)}); }
Array bitwise_left_shift(Operand x1, Operand x2) {
  return apply(Function::kBitwiseLeftShift, {std::move(x1), std::move(x2)});
}
Array bitwise_or(Operand x1, Operand x2) { return apply(Function::kBitwiseOr, {std::move(x1), std::move(x2)}); }
Array bitwise_right_shift(Operand x1, Operand x2) {
  return apply(Function::kBitwiseRightShift, {std::move(x1), std::move(x2)});
}
Array bitwise_xor(Operand x1, Operand x2) { return apply(Function::kBitwiseXor, {std::move(x1), std::move(x2)}); }
Array copysign(Operand x1, Operand x2) { return apply(Function::kCopysign, {std::move(x1), std::move(x2)}); }
Array divide(Operand x1, Operand x2) { return apply(Function::kDivide, {std::move(x1), std::move(x2)}); }
Array equal(Operand x1, Operand x2) { return apply(Function::kEqual, {std::move(x1), std::move(x2)}); }
Array floor_divide(Operand x1, Operand x2) { return apply(Function::kFloorDivide, {std::move(x1), std::move(x2)}); }
Array greater(Operand x1, Operand x2) { return apply(Function::kGreater, {std::move(x1), std::move(x2)}); }
Array greater_equal(Operand x1, Operand x2) { return apply(Function::kGreaterEqual, {std::move(x1), std::move(x2)}); }
Array hypot(Operand x1, Operand x2) { return apply(Function::kHypot, {std::move(x1), std::move(x2)}); }
Array less(Operand x1, Operand x2) { return apply(Function::kLess, {std::move(x1), std::move(x2)}); }
Array less_equal(Operand x1, Operand x2) { return apply(Function::kLessEqual, {std::move(x1), std::move(x2)}); }
Array logaddexp(Operand x1, Operand x2) { return apply(Function::kLogaddexp, {std::move(x1), std::move(x2)}); }
Array logical_and(Operand x1, Operand x2) { return apply(Function::kLogicalAnd, {std::move(x1), std::move(x2)}); }
Array logical_or(Operand x1, Operand x2) { return apply(Function::kLogicalOr, {std::move(x1), std::move(x2)}); }
Array logical_xor(Operand x1, Operand x2) { return apply(Function::kLogicalXor, {std::move(x1), std::move(x2)}); }
Array maximum(Operand x1, Operand x2) { return apply(Function::kMaximum, {std::move(x1), std::move(x2)}); }
Array minimum(Operand x1, Operand x2) { return apply(Function::kMinimum, {std::move(x1), std::move(x2)}); }
Array multiply(Operand x1, Operand x2) { return apply(Function::kMultiply, {std::move(x1), std::move(x2)}); }
Array not_equal(Operand x1, Operand x2) { return apply(Function::kNotEqual, {std::move(x1), std::move(x2)}); }
Array remainder(Operand x1, Operand x2) { return apply(Function::kRemainder, {std::move(x1), std::move(x2)}); }
Array subtract(Operand x1, Operand x2) { return apply(Function::kSubtract, {std::move(x1), std::move(x2)}); }

}  // namespace brim
