#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <random>

#include "brim/brim.h"
#include "oracle/numpy_oracle.h"
#include "storage/output.h"

// Random graphs over the functions that exist, on random shapes, dtypes, chunks, budgets and worker counts, in real
// worker processes, against NumPy.
namespace brim {
namespace {

using oracle::OracleArray;

/// An array with the NumPy expression that gives its values.
struct Value {
  Array array;
  std::string python;
};

class Graphs {
 public:
  explicit Graphs(unsigned seed)
      : random_(seed), folder_(std::filesystem::temp_directory_path() / ("brim-graphs-" + std::to_string(getpid()))) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~Graphs() { std::filesystem::remove_all(folder_); }
  Graphs(const Graphs&) = delete;
  Graphs& operator=(const Graphs&) = delete;

  std::int64_t pick(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
  }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  /// A data set of random values in a file of its own, opened with random chunks.
  Value input(const Shape& shape, DType dtype) {
    const auto name = "x" + std::to_string(names_.size());
    OracleArray values{dtype, shape, {}};
    const auto count = element_count(shape);
    values.bytes.resize(static_cast<std::size_t>(count * item_size(dtype)));
    for (std::int64_t i = 0; i < count; ++i) set_random(values, i);
    write(name, values);
    names_[name] = values;
    return {open(path(name) + ".h5:/x", {.chunks = random_chunks(shape)}), name};
  }

  const std::map<std::string, OracleArray>& names() const { return names_; }

  Shape random_chunks(const Shape& shape) {
    Shape chunks;
    for (const auto extent : shape) chunks.push_back(pick(1, std::max<std::int64_t>(1, extent)));
    return chunks;
  }

  std::mt19937& random() { return random_; }

 private:
  void set_random(OracleArray& values, std::int64_t i) {
    auto* place = values.bytes.data() + i * item_size(values.dtype);
    if (values.dtype == DType::kFloat64) {
      const double value = pick(0, 30) == 0 ? std::nan("") : std::uniform_real_distribution<double>(-3, 3)(random_);
      std::memcpy(place, &value, sizeof value);
    } else {
      const auto value = pick(-50, 50);
      std::memcpy(place, &value, sizeof value);
    }
  }

  void write(const std::string& name, const OracleArray& values) {
    storage::OutputDataset dataset;
    dataset.address = {path(name) + ".h5", "/x"};
    dataset.dtype = values.dtype;
    dataset.grid = ChunkGrid(values.shape, random_chunks(values.shape));
    dataset.deflate_level = static_cast<int>(pick(0, 1));
    storage::OutputFiles files({dataset});
    std::vector<std::byte> memory(4 << 20);
    for (std::int64_t chunk = 0; chunk < dataset.grid.chunk_count(); ++chunk) write_chunk(files, values, chunk, memory);
    for (std::size_t i = 0; i < files.assembly_count(); ++i) {
      Scratch scratch(memory);
      storage::assemble(files.assembly(i), scratch);
    }
    files.commit();
  }

  static void write_chunk(const storage::OutputFiles& files, const OracleArray& values, std::int64_t chunk,
                          std::vector<std::byte>& memory) {
    const auto& target = files.targets().front();
    const Box box = target.dataset.grid.box(chunk);
    const auto size = item_size(values.dtype);
    std::vector<std::byte> data;
    const ChunkGrid elements(box.shape(), Shape(box.start.size(), 1));
    const ChunkGrid whole(values.shape, Shape(values.shape.size(), 1));
    for (std::int64_t i = 0; i < elements.chunk_count(); ++i) {
      auto at = elements.coordinates(i);
      for (std::size_t axis = 0; axis < at.size(); ++axis) at[axis] += box.start[axis];
      const auto* first = values.bytes.data() + whole.index(at) * size;
      data.insert(data.end(), first, first + size);
    }
    Scratch scratch(memory);
    storage::Writer(target).write(box, data, scratch);
  }

  std::mt19937 random_;
  std::filesystem::path folder_;
  std::map<std::string, OracleArray> names_;
};

std::string slice_text(const Slice& slice) {
  const auto bound = [](std::optional<std::int64_t> value) { return value ? std::to_string(*value) : std::string(); };
  return bound(slice.start) + ":" + bound(slice.stop) + ":" + std::to_string(slice.step);
}

Value random_index(Graphs& graphs, const Value& x) {
  std::vector<IndexItem> items;
  std::string text;
  for (const auto extent : x.array.shape()) {
    if (!text.empty()) text += ", ";
    const auto kind = graphs.pick(0, 9);
    if (kind == 0 && extent > 0) {
      const auto at = graphs.pick(-extent, extent - 1);
      items.emplace_back(at);
      text += std::to_string(at);
      continue;
    }
    if (kind == 1) {
      items.emplace_back(NewAxis{});
      text += "None, ";
    }
    Slice slice;
    if (graphs.pick(0, 1) == 0) slice.start = graphs.pick(-extent, extent);
    if (graphs.pick(0, 1) == 0) slice.stop = graphs.pick(-extent, extent);
    slice.step = graphs.pick(0, 3) == 0 ? -graphs.pick(1, 3) : graphs.pick(1, 3);
    items.emplace_back(slice);
    text += slice_text(slice);
  }
  if (text.empty()) return x;
  return {index(x.array, items), "(" + x.python + ")[" + text + "]"};
}

Value random_reduction(Graphs& graphs, const Value& x, bool exact) {
  ReduceOptions options;
  std::string axes = "None";
  if (graphs.pick(0, 2) > 0) {
    std::vector<int> chosen;
    axes = "(";
    for (int axis = 0; axis < x.array.ndim(); ++axis)
      if (graphs.pick(0, 1) == 0) {
        chosen.push_back(axis);
        axes += std::to_string(axis) + ",";
      }
    axes += ")";
    options.axis = chosen;
  }
  options.keepdims = graphs.pick(0, 1) == 0;
  const auto tail = ", axis=" + axes + ", keepdims=" + (options.keepdims ? "True" : "False") + ")";
  const auto empty = x.array.size() == 0;
  switch (graphs.pick(0, empty || exact ? 0 : 1)) {
    case 1:
      return {mean(x.array, options), "np.mean(" + x.python + tail};
    default:
      break;
  }
  if (!empty && graphs.pick(0, 2) == 0) return {max(x.array, options), "np.max(" + x.python + tail};
  return {sum(x.array, options), "np.sum(" + x.python + tail};
}

Value random_binary(Graphs& graphs, const Value& a, const Value& b, bool exact) {
  const auto call = [&](const char* name, Array result) {
    return Value{std::move(result), std::string("np.") + name + "(" + a.python + ", " + b.python + ")"};
  };
  switch (graphs.pick(0, exact ? 6 : 4)) {
    case 0:
      return call("add", add(a.array, b.array));
    case 1:
      return call("subtract", subtract(a.array, b.array));
    case 2:
      return call("maximum", maximum(a.array, b.array));
    case 3:
      return call("minimum", minimum(a.array, b.array));
    case 4:
      return call("multiply", multiply(a.array, b.array));
    case 5:
      return call("floor_divide", floor_divide(a.array, b.array));
    default:
      return call("remainder", remainder(a.array, b.array));
  }
}

Value random_unary(Graphs& graphs, const Value& x, bool exact) {
  const auto call = [&](const std::string& name, Array result) {
    return Value{std::move(result), name + "(" + x.python + ")"};
  };
  switch (graphs.pick(0, exact ? 2 : 4)) {
    case 0:
      return call("np.negative", negative(x.array));
    case 1:
      return call("np.abs", abs(x.array));
    case 2:
      return {square(clip(x.array, -9, 9)), "np.square(np.clip(" + x.python + ", -9, 9))"};
    case 3:
      return {exp(sin(x.array)), "np.exp(np.sin(" + x.python + "))"};
    default:
      return {sqrt(abs(x.array)), "np.sqrt(np.abs(" + x.python + "))"};
  }
}

bool broadcastable(const Shape& a, const Shape& b) {
  try {
    return element_count(broadcast_shapes(a, b)) < 20000;
  } catch (const UsageError&) {
    return false;
  }
}

Value random_graph(Graphs& graphs, bool exact) {
  const auto dtype = exact ? DType::kInt64 : DType::kFloat64;
  Shape shape;
  for (auto rank = graphs.pick(0, 3); rank > 0; --rank)
    shape.push_back(graphs.pick(0, 20) == 0 ? 0 : graphs.pick(1, 14));
  std::vector<Value> values = {graphs.input(shape, dtype), graphs.input(shape, dtype)};
  for (auto steps = graphs.pick(2, 8); steps > 0; --steps) {
    const auto any = [&] {
      return values[static_cast<std::size_t>(graphs.pick(0, static_cast<std::int64_t>(values.size()) - 1))];
    };
    const auto kind = graphs.pick(0, 9);
    const auto x = any();
    if (kind < 2) {
      values.push_back(random_index(graphs, x));
    } else if (kind < 3) {
      values.push_back(random_reduction(graphs, x, exact));
    } else if (kind < 5) {
      values.push_back(random_unary(graphs, x, exact));
    } else {
      const auto y = any();
      if (broadcastable(x.array.shape(), y.array.shape())) values.push_back(random_binary(graphs, x, y, exact));
    }
  }
  return values.back();
}

void expect_equal(const Values& found, const OracleArray& expected, bool exact, const std::string& what) {
  ASSERT_EQ(found.shape, expected.shape) << what;
  ASSERT_EQ(found.dtype, expected.dtype) << what;
  if (exact) {
    ASSERT_EQ(found.bytes, expected.bytes) << what;
    return;
  }
  const auto wanted = expected.as<double>();
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    double value = 0;
    std::memcpy(&value, found.bytes.data() + i * sizeof value, sizeof value);
    if (std::isnan(wanted[i]) || std::isinf(wanted[i])) {
      ASSERT_TRUE(value == wanted[i] || (std::isnan(value) && std::isnan(wanted[i]))) << what << " at " << i;
      continue;
    }
    // Sums may cancel: the tolerance is that of values up to a few thousand added up.
    ASSERT_NEAR(value, wanted[i], 1e-9 * std::max(1.0, std::abs(wanted[i]))) << what << " at " << i;
  }
}

void check_graph(unsigned seed, bool exact) {
  Graphs graphs(seed);
  const auto value = random_graph(graphs, exact);
  const auto expected = oracle::evaluate(value.python, graphs.names());
  StoreOptions options;
  options.deflate = static_cast<int>(graphs.pick(0, 1));
  if (graphs.pick(0, 1) == 0) options.chunks = graphs.random_chunks(value.array.shape());
  const auto address = graphs.path("out.h5") + ":/result";
  const auto output = store(value.array, address, options);
  const auto minimum = plan(output).minimum_budget();
  for (const std::int64_t percent : {100, 130, 400}) {
    PlanOptions plan_options;
    plan_options.memory = Bytes(minimum.count() / 100 * percent + minimum.count() % 100 * percent / 100);
    plan_options.workers = graphs.pick(1, 4);
    Executor().run(plan(output, plan_options));
    const auto found = read(address);
    expect_equal(found, expected, exact, "seed " + std::to_string(seed) + ": " + value.python);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(RandomGraphs, of_integers_equal_numpy_bit_by_bit) {
  for (unsigned seed = 1; seed <= 40 && !HasFatalFailure(); ++seed) check_graph(seed, true);
}

TEST(RandomGraphs, of_floats_equal_numpy_within_rounding) {
  for (unsigned seed = 1001; seed <= 1040 && !HasFatalFailure(); ++seed) check_graph(seed, false);
}

}  // namespace
}  // namespace brim
