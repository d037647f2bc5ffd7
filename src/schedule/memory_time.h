#pragma once

#include "brim/bytes.h"

namespace brim::schedule {

/// Adds up memory x time of a run: of all of it, and of the time in which a task waited for memory. Both clocks, the
/// real one and the virtual one, feed it.
class MemoryTime {
 public:
  /// `seconds` have gone by in which running tasks and resident chunks held `in_use`; `bound`: a task waited for
  /// memory.
  void pass(double seconds, Bytes in_use, bool bound) {
    const auto byte_seconds = static_cast<double>(in_use.count()) * seconds;
    total_ += byte_seconds;
    if (!bound) return;
    bound_ += byte_seconds;
    bound_seconds_ += seconds;
  }
  /// Share of budget x time.
  double used(Bytes budget, double seconds) const { return share(total_, budget, seconds); }
  double bound_seconds() const { return bound_seconds_; }
  /// Share of budget x the time in which a task waited for memory; 0 where none did.
  double bound_used(Bytes budget) const { return share(bound_, budget, bound_seconds_); }

 private:
  static double share(double byte_seconds, Bytes budget, double seconds) {
    const auto capacity = static_cast<double>(budget.count()) * seconds;
    return capacity > 0 ? byte_seconds / capacity : 0;
  }

  double total_ = 0;  ///< bytes x seconds
  double bound_ = 0;
  double bound_seconds_ = 0;
};

}  // namespace brim::schedule
