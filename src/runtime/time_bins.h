#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace brim::runtime {

/// The time of a run in a fixed number of equal bins, whatever its length: when a time lies past the last bin, the bins
/// become twice as wide. So a stream of any length is summed in bounded memory, in one pass.
class TimeBins {
 public:
  static constexpr std::size_t kCount = 1024;

  double width() const { return width_; }
  /// The bin of a time within reach.
  std::size_t bin(double time) const { return std::min(static_cast<std::size_t>(time / width_), kCount - 1); }
  bool reaches(double time) const { return time < width_ * static_cast<double>(kCount); }
  /// Makes the bins twice as wide; whoever keeps cells folds them.
  void widen() { width_ *= 2; }

  /// Calls visit(bin, seconds) for what each bin has of [start, end), both within reach.
  template <class Visit>
  void spread(double start, double end, Visit visit) const {
    for (std::size_t i = bin(start), last = bin(end); i <= last; ++i) {
      const double from = std::max(start, static_cast<double>(i) * width_);
      const double to = i == last ? end : std::min(end, static_cast<double>(i + 1) * width_);
      if (to > from) visit(i, to - from);
    }
  }

 private:
  double width_ = 1e-6;  ///< seconds
};

/// One cell a bin. Cells are added up with += and empty when made.
template <class Cell>
using BinCells = std::vector<Cell>;

/// What widen() asks for: cells of neighbours added up into the first half.
template <class Cell>
void fold(BinCells<Cell>& cells) {
  for (std::size_t i = 0; i < cells.size() / 2; ++i) {
    cells[i] = cells[2 * i];
    cells[i] += cells[2 * i + 1];
  }
  std::fill(cells.begin() + static_cast<std::ptrdiff_t>(cells.size() / 2), cells.end(), Cell{});
}

}  // namespace brim::runtime
