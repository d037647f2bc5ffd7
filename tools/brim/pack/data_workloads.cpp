#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "brim/executor.h"
#include "brim/plan.h"
#include "pack/result_check.h"
#include "pack/workloads.h"

namespace brim::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kRows = 128;
constexpr std::int64_t kColumns = 256;
constexpr std::int64_t kMonths = 12;

struct Wave {
  double amplitude;
  double frequency;
};

/// A data set that a formula makes: a mean and one wave along each axis, so that every result has a formula as well.
struct Field {
  std::string name;
  double mean;
  std::array<Wave, 3> waves;

  long double at(std::int64_t time, std::int64_t row, std::int64_t column) const {
    const std::array index = {time, row, column};
    long double sum = mean;
    for (std::size_t axis = 0; axis < 3; ++axis)
      sum += waves[axis].amplitude *
             std::sin(static_cast<long double>(waves[axis].frequency) * static_cast<long double>(index[axis]));
    return sum;
  }
};

const Field kTemperature{"temperature", 280, {{{15, 0.3}, {10, 0.01}, {5, 0.02}}}};  // K
const Field kHumidity{"humidity", 55, {{{20, 0.2}, {10, 0.013}, {10, 0.017}}}};      // %
const Field kEastward{"eastward_wind", 1, {{{4, 0.11}, {3, 0.5}, {2, 0.3}}}};        // m/s
const Field kNorthward{"northward_wind", -1, {{{3, 0.17}, {2, 0.4}, {3, 0.6}}}};     // m/s

/// Where the data lie, and how large they are.
struct Data {
  fs::path folder;
  Bytes size;          ///< of one data set
  std::int64_t times;  ///< a multiple of 48, so that chunks of many sizes divide it

  std::string address(const Field& field) const { return (folder / "input.h5").string() + ":/" + field.name; }
  Array open(const Field& field, std::int64_t chunks) const {
    return brim::open(address(field), {.chunks = Shape{times / chunks, kRows, kColumns}});
  }
  std::string output() const { return (folder / "output.h5").string(); }
};

Array along(std::size_t axis, std::int64_t size, const Wave& wave, std::int64_t chunk) {
  const auto positions = arange(size, {}, 1, {.dtype = DType::kFloat64, .chunks = Shape{chunk}});
  std::vector<IndexItem> items(3, NewAxis{});
  items[axis] = Slice{};
  return index(wave.amplitude * sin(positions * wave.frequency), items);
}

Output made(const Data& data, const Field& field) {
  const auto values = along(0, data.times, field.waves[0], kMonths) + along(1, kRows, field.waves[1], kRows) +
                      along(2, kColumns, field.waves[2], kColumns) + field.mean;
  return store(values, data.address(field), {.dtype = DType::kFloat32});
}

/// On disk before anybody is timed.
void write_to_disk(const fs::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  fsync(descriptor);
  close(descriptor);
}

PackWorkload dew_point(const Data& data, std::int64_t chunks) {
  const auto t = data.open(kTemperature, chunks);
  const auto e = 0.611 * exp(5423 * (1.0 / 273 - 1 / t)) * data.open(kHumidity, chunks) / 100;
  const auto dew = 1 / (1.0 / 273 - 0.0001844 * log(e / 0.611));
  const auto expected = [](const Shape& at) {
    const auto temperature = kTemperature.at(at[0], at[1], at[2]);
    const auto vapour =
        0.611L * std::exp(5423 * (1.0L / 273 - 1 / temperature)) * kHumidity.at(at[0], at[1], at[2]) / 100;
    return 1 / (1.0L / 273 - 0.0001844L * std::log(vapour / 0.611L));
  };
  return {.letter = "a",
          .name = fmt::format("dew point, chunks of {}", to_string(Bytes(data.size.count() / chunks))),
          .outputs = {store(dew, data.output() + ":/dew_point")},
          .check = ResultCheck(data.output(), {{"/dew_point", expected, 2e-3}})};
}

PackWorkload quadratic_means(const Data& data) {
  const auto u = data.open(kEastward, 4);
  const auto v = data.open(kNorthward, 4);
  const ReduceOptions over_time{.axis = std::vector<int>{0}};
  const auto expected = [times = data.times](const Field& a, const Field& b) {
    return [=](const Shape& at) {
      long double sum = 0;
      for (std::int64_t time = 0; time < times; ++time) sum += a.at(time, at[0], at[1]) * b.at(time, at[0], at[1]);
      return sum / static_cast<long double>(times);
    };
  };
  const auto stored = [&](const Array& array, const std::string& path) {
    return store(mean(array, over_time), data.output() + ":" + path);
  };
  return {.letter = "c",
          .name = "quadratic means over time",
          .outputs = {stored(u * u, "/uu"), stored(v * v, "/vv"), stored(u * v, "/uv")},
          .check = ResultCheck(data.output(), {{"/uu", expected(kEastward, kEastward), 1e-4},
                                               {"/vv", expected(kNorthward, kNorthward), 1e-4},
                                               {"/uv", expected(kEastward, kNorthward), 1e-4}})};
}

PackWorkload monthly_anomaly(const Data& data) {
  const auto t = data.open(kTemperature, 4);
  PackWorkload workload{.letter = "d", .name = "anomaly from a monthly climatology"};
  std::vector<ExpectedResult> results;
  for (std::int64_t month = 0; month < kMonths; ++month) {
    const auto of_month = index(t, {Slice{.start = month, .step = kMonths}});
    const auto path = fmt::format("/month_{:02}", month + 1);
    workload.outputs.push_back(
        store(of_month - mean(of_month, {.axis = std::vector<int>{0}, .keepdims = true}), data.output() + ":" + path));
    const auto expected = [month, years = data.times / kMonths](const Shape& at) {
      long double sum = 0;
      for (std::int64_t year = 0; year < years; ++year) sum += kTemperature.at(year * kMonths + month, at[1], at[2]);
      return kTemperature.at(at[0] * kMonths + month, at[1], at[2]) - sum / static_cast<long double>(years);
    };
    results.push_back({path, expected, 1e-3});
  }
  workload.check = ResultCheck(data.output(), std::move(results));
  return workload;
}

PackWorkload vorticity(const Data& data) {
  const auto u = data.open(kEastward, 12);
  const auto v = data.open(kNorthward, 12);
  const Slice all;
  const Slice inner{.start = 1, .stop = -1};
  const Slice before{.stop = -2};
  const Slice behind{.start = 2};
  const auto along_columns = index(v, {all, inner, behind}) - index(v, {all, inner, before});
  const auto along_rows = index(u, {all, behind, inner}) - index(u, {all, before, inner});
  const auto expected = [](const Shape& at) {
    const auto [time, row, column] = std::array{at[0], at[1] + 1, at[2] + 1};
    return ((kNorthward.at(time, row, column + 1) - kNorthward.at(time, row, column - 1)) -
            (kEastward.at(time, row + 1, column) - kEastward.at(time, row - 1, column))) /
           2;
  };
  return {.letter = "e",
          .name = "vorticity, a stencil by slices",
          .outputs = {store((along_columns - along_rows) / 2, data.output() + ":/vorticity")},
          .check = ResultCheck(data.output(), {{"/vorticity", expected, 1e-5}})};
}

Data data_of(const fs::path& folder, Bytes task_memory) {
  constexpr std::int64_t kTimesStep = 48;
  const auto plane = kRows * kColumns * static_cast<std::int64_t>(sizeof(float));
  const auto steps = std::max<std::int64_t>(1, task_memory.count() / 4 / plane / kTimesStep);
  return {folder, Bytes(steps * kTimesStep * plane), steps * kTimesStep};
}

}  // namespace

Bytes data_workloads_disk(Bytes task_memory) { return data_of({}, task_memory).size * 5; }

std::vector<PackWorkload> data_workloads(const fs::path& folder, Bytes task_memory, InterruptGuard& guard) {
  const auto data = data_of(folder, task_memory);
  Executor executor;
  guard.run(executor,
            plan({made(data, kTemperature), made(data, kHumidity), made(data, kEastward), made(data, kNorthward)}));
  write_to_disk(folder / "input.h5");
  std::vector<PackWorkload> workloads = {dew_point(data, 48),   dew_point(data, 12),   dew_point(data, 4),
                                         quadratic_means(data), monthly_anomaly(data), vorticity(data)};
  for (auto& workload : workloads) workload.task_memory = data.size;
  return workloads;
}

}  // namespace brim::tool
