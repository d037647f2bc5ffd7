#include "pack/result_check.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <random>

#include "brim/error.h"
#include "brim/read.h"

namespace brim::tool {
namespace {

constexpr int kPoints = 64;

void check_points(const Values& values, const std::string& address, const ExpectedResult& expected) {
  std::mt19937 random(1);  // the same points every time
  const auto count = static_cast<std::uint64_t>(element_count(values.shape));
  for (int point = 0; point < kPoints; ++point) {
    // The first and the last element, and some between.
    const auto flat = point == 0 ? 0 : point == 1 ? count - 1 : random() % count;
    Shape index(values.shape.size());
    auto rest = static_cast<std::int64_t>(flat);
    for (auto axis = index.size(); axis-- > 0; rest /= values.shape[axis]) index[axis] = rest % values.shape[axis];
    float found = 0;
    std::memcpy(&found, values.bytes.data() + flat * sizeof found, sizeof found);
    const auto wanted = static_cast<double>(expected.value_at(index));
    if (!(std::abs(found - wanted) <= expected.tolerance))
      throw InternalError(fmt::format("{} is {} at {}, should be {}", address, found, to_string(index), wanted));
  }
}

std::size_t fingerprint(const Values& values) {
  return std::hash<std::string_view>()({reinterpret_cast<const char*>(values.bytes.data()), values.bytes.size()});
}

}  // namespace

ResultCheck::ResultCheck(std::string file, std::vector<ExpectedResult> results)
    : file_(std::move(file)), results_(std::move(results)) {}

void ResultCheck::operator()() {
  std::vector<std::size_t> fingerprints;
  for (const auto& result : results_) {
    const auto address = file_ + ":" + result.path;
    const auto values = read(address);
    check_points(values, address, result);
    fingerprints.push_back(fingerprint(values));
  }
  if (fingerprints_.empty()) fingerprints_ = fingerprints;
  if (fingerprints != fingerprints_) throw InternalError(file_ + " has other values than after the run before");
  std::filesystem::remove(file_);
}

}  // namespace brim::tool
