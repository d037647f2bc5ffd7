#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "brim/shape.h"

namespace brim::tool {

/// A stored float32 data set, and what should be in it.
struct ExpectedResult {
  std::string path;                                   ///< in the file: "/zeta"
  std::function<long double(const Shape&)> value_at;  ///< by a formula of its own, at an index
  double tolerance = 0;                               ///< absolute
};

/// Compares a stored file with what is expected at some points, and, bit by bit, with the same file of the run before.
class ResultCheck {
 public:
  ResultCheck(std::string file, std::vector<ExpectedResult> results);

  /// Throws InternalError where it differs. Removes the file.
  void operator()();

 private:
  std::string file_;
  std::vector<ExpectedResult> results_;
  std::vector<std::size_t> fingerprints_;  ///< of the results of the first run
};

}  // namespace brim::tool
