#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "brim/bytes.h"
#include "brim/chunk_grid.h"
#include "brim/dataset.h"
#include "brim/dtype.h"

namespace brim {

struct Node;  // the graph node behind an Array; private

/// A lazy n-dimensional array: dtype, shape, chunk grid and the graph node that makes it. Building one reads at most a
/// file's metadata; values are computed by an Executor. A cheap value type; equal copies share their node.
/// Immutable, so safe to use from several threads.
class Array {
 public:
  explicit Array(std::shared_ptr<const Node> node) : node_(std::move(node)) {}

  DType dtype() const;
  const Shape& shape() const;
  const ChunkGrid& grid() const;
  int ndim() const;
  /// Number of elements.
  std::int64_t size() const;
  const std::shared_ptr<const Node>& node() const { return node_; }

 private:
  std::shared_ptr<const Node> node_;
};

/// A number beside an array takes the array's dtype, as Python scalars do in the array API (weak promotion):
/// float32 array * 0.5 stays float32; an integer array with a floating number becomes float64 (NumPy's answer).
/// Throws UsageError where an integer does not fit the array's dtype.
class Operand {
 public:
  Operand(Array array) : value_(std::move(array)) {}  // NOLINT(google-explicit-constructor): the point of the type
  template <typename T>
  requires std::is_arithmetic_v<T> Operand(T number) : value_(widen(number)) {}  // NOLINT(google-explicit-constructor)

  using Value = std::variant<Array, bool, std::int64_t, std::uint64_t, double>;
  const Value& value() const { return value_; }

 private:
  template <typename T>
  static Value widen(T number) {
    if constexpr (std::same_as<T, bool>)
      return number;
    else if constexpr (std::floating_point<T>)
      return static_cast<double>(number);
    else if constexpr (std::is_signed_v<T>)
      return static_cast<std::int64_t>(number);
    else
      return static_cast<std::uint64_t>(number);
  }
  Value value_;
};

struct OpenArrayOptions {
  std::optional<Shape> chunks =
      {};              ///< the chunks to compute with; default: multiples of the storage chunks near 16 MiB
  bool decode = true;  ///< apply _FillValue, missing_value, scale_factor and add_offset
};

/// A data set "FILE:/PATH" as an array. Throws UsageError, StorageError.
Array open(const std::string& address, const OpenArrayOptions& options = {});

struct CreateOptions {
  std::optional<DType> dtype = {};   ///< default: bool, int64 or float64 by the value given
  std::optional<Shape> chunks = {};  ///< default: near 16 MiB
};

/// An array of one value everywhere; zeros and ones are float64 unless options say otherwise.
Array full(const Shape& shape, const Operand& value, const CreateOptions& options = {});
Array zeros(const Shape& shape, const CreateOptions& options = {});
Array ones(const Shape& shape, const CreateOptions& options = {});
/// start, start + step, ... below stop (above it for a negative step); integers give int64.
Array arange(const Operand& start, const std::optional<Operand>& stop = {}, const Operand& step = 1,
             const CreateOptions& options = {});
/// `num` values from start to stop, stop included unless endpoint is false.
Array linspace(double start, double stop, std::int64_t num, bool endpoint = true, const CreateOptions& options = {});

// Elementwise functions of the Python array API 2023.12: broadcasting and type promotion as there; where the standard
// leaves a mix open, NumPy's answer (integers in a floating function become float64). Throw UsageError for
// dtypes that the standard excludes and for shapes that do not broadcast.
Array abs(Operand x);
Array acos(Operand x);
Array acosh(Operand x);
Array add(Operand x1, Operand x2);
Array asin(Operand x);
Array asinh(Operand x);
Array atan(Operand x);
Array atan2(Operand x1, Operand x2);
Array atanh(Operand x);
Array bitwise_and(Operand x1, Operand x2);
Array bitwise_invert(Operand x);
Array bitwise_left_shift(Operand x1, Operand x2);
Array bitwise_or(Operand x1, Operand x2);
Array bitwise_right_shift(Operand x1, Operand x2);
Array bitwise_xor(Operand x1, Operand x2);
Array ceil(Operand x);
/// x limited to [min, max]; either bound may be left out. A floating x keeps its dtype, integers promote with their
/// bounds.
Array clip(Operand x, std::optional<Operand> min = {}, std::optional<Operand> max = {});
Array copysign(Operand x1, Operand x2);
Array cos(Operand x);
Array cosh(Operand x);
Array divide(Operand x1, Operand x2);
Array equal(Operand x1, Operand x2);
Array exp(Operand x);
Array expm1(Operand x);
Array floor(Operand x);
Array floor_divide(Operand x1, Operand x2);
Array greater(Operand x1, Operand x2);
Array greater_equal(Operand x1, Operand x2);
Array hypot(Operand x1, Operand x2);
Array isfinite(Operand x);
Array isinf(Operand x);
Array isnan(Operand x);
Array less(Operand x1, Operand x2);
Array less_equal(Operand x1, Operand x2);
Array log(Operand x);
Array log10(Operand x);
Array log1p(Operand x);
Array log2(Operand x);
Array logaddexp(Operand x1, Operand x2);
Array logical_and(Operand x1, Operand x2);
Array logical_not(Operand x);
Array logical_or(Operand x1, Operand x2);
Array logical_xor(Operand x1, Operand x2);
Array maximum(Operand x1, Operand x2);
Array minimum(Operand x1, Operand x2);
Array multiply(Operand x1, Operand x2);
Array negative(Operand x);
Array not_equal(Operand x1, Operand x2);
Array positive(Operand x);
/// x1 to the power x2. Throws UsageError for integers to a negative number.
Array pow(Operand x1, Operand x2);
Array remainder(Operand x1, Operand x2);
Array round(Operand x);
Array sign(Operand x);
Array signbit(Operand x);
Array sin(Operand x);
Array sinh(Operand x);
Array sqrt(Operand x);
Array square(Operand x);
Array subtract(Operand x1, Operand x2);
Array tan(Operand x);
Array tanh(Operand x);
Array trunc(Operand x);
/// x1 where the condition (bool) holds, x2 elsewhere.
Array where(Array condition, Operand x1, Operand x2);
Array astype(const Array& x, DType dtype);

// Operators, for an array with an array or a number. The bitwise ones work on bools too, so they serve as logical ones.
// Python's ** is pow(), // is floor_divide().
template <typename T>
concept NotArray = std::is_arithmetic_v<T>;
#define BRIM_BINARY_OPERATOR(symbol, function)                                            \
  inline Array operator symbol(const Array& a, const Array& b) { return function(a, b); } \
  template <NotArray T>                                                                   \
  Array operator symbol(const Array& a, T b) {                                            \
    return function(a, b);                                                                \
  }                                                                                       \
  template <NotArray T>                                                                   \
  Array operator symbol(T a, const Array& b) {                                            \
    return function(a, b);                                                                \
  }
BRIM_BINARY_OPERATOR(+, add)
BRIM_BINARY_OPERATOR(-, subtract)
BRIM_BINARY_OPERATOR(*, multiply)
BRIM_BINARY_OPERATOR(/, divide)
BRIM_BINARY_OPERATOR(%, remainder)
BRIM_BINARY_OPERATOR(&, bitwise_and)
BRIM_BINARY_OPERATOR(|, bitwise_or)
BRIM_BINARY_OPERATOR(^, bitwise_xor)
BRIM_BINARY_OPERATOR(<<, bitwise_left_shift)
BRIM_BINARY_OPERATOR(>>, bitwise_right_shift)
BRIM_BINARY_OPERATOR(<, less)
BRIM_BINARY_OPERATOR(<=, less_equal)
BRIM_BINARY_OPERATOR(>, greater)
BRIM_BINARY_OPERATOR(>=, greater_equal)
BRIM_BINARY_OPERATOR(==, equal)
BRIM_BINARY_OPERATOR(!=, not_equal)
#undef BRIM_BINARY_OPERATOR
inline Array operator-(const Array& x) { return negative(x); }
inline Array operator+(const Array& x) { return positive(x); }
inline Array operator~(const Array& x) { return bitwise_invert(x); }
inline Array operator!(const Array& x) { return logical_not(x); }

/// start:stop:step of one axis, with Python's meaning of missing and negative values.
struct Slice {
  std::optional<std::int64_t> start = {};
  std::optional<std::int64_t> stop = {};
  std::int64_t step = 1;
};
struct Ellipsis {};
struct NewAxis {};
using IndexItem = std::variant<Slice, std::int64_t, Ellipsis, NewAxis>;

/// Basic indexing, x[items...], as in the array API. Throws UsageError for too many items, an integer out of bounds or
/// a step of 0.
Array index(const Array& x, const std::vector<IndexItem>& items);

struct ReduceOptions {
  std::optional<std::vector<int>> axis = {};  ///< negative counts from the end; nothing reduces all axes
  bool keepdims = false;
};

/// Sum: floats keep their dtype (added in float64), integers and bools give int64 or uint64.
Array sum(const Array& x, const ReduceOptions& options = {});
/// Mean: floats keep their dtype (added in float64), integers and bools give float64.
Array mean(const Array& x, const ReduceOptions& options = {});
/// Smallest element, NaN where there is one. Throws UsageError when an axis to reduce has no elements.
Array min(const Array& x, const ReduceOptions& options = {});
Array max(const Array& x, const ReduceOptions& options = {});

struct SyntheticOptions {
  std::int64_t tasks = 1;
  Bytes memory = {};                  ///< exactly every task's projected_mem on one core
  std::optional<Bytes> touched = {};  ///< what it really touches, for work that is declared wrong; default: `memory`
  std::int64_t cpu_nanoseconds = 0;   ///< CPU time burnt by every task
  std::int64_t wait_nanoseconds = 0;  ///< waited by every task
  std::vector<Array> after =
      {};  ///< synthetic arrays that come first: task i waits for their tasks over the same fraction
};

/// Work without data, for tests and benchmarks of packing: a 1-d float64 array of `tasks` chunks of one element (0.0).
Array synthetic(const SyntheticOptions& options);

struct StoreOptions {
  std::optional<Shape> chunks = {};  ///< storage chunks; default: the array's own
  std::optional<DType> dtype = {};   ///< converted as astype does
  int deflate = 0;                   ///< 1 - 9 compresses with shuffle and deflate
};

/// An array and the data set it goes to. What a plan is made of.
struct Output {
  Array array;
  std::optional<DatasetAddress> address;  ///< nothing: computed and dropped (synthetic work)
  StoreOptions options;
};

/// Names the place of an array: "dew.h5:/tdps".
Output store(const Array& array, const std::string& address, const StoreOptions& options = {});
/// Runs an array for its work alone, its values are dropped.
Output discard(const Array& array);

}  // namespace brim
