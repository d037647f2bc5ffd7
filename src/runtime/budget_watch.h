#pragma once

#include <chrono>
#include <optional>

#include "brim/bytes.h"

namespace brim::runtime {

/// Decides how much of its budget a run may hold while other programs come and go. Narrows at once, widens when there
/// has been room for a while. A pure function of samples and their times.
class BudgetWatch {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// `left` is what the machine could give beyond the budget when the run began: it is left to others from then on, up
  /// to their usual share.
  BudgetWatch(Bytes budget, Bytes left);

  struct Sample {
    Bytes available;  ///< what the machine can give in addition to what is held
    Bytes held;       ///< by this run, in pages that are there
    Bytes least;      ///< with less than this the run would stand still
  };
  /// The budget from now on; nothing when it stays as it is.
  std::optional<Bytes> decide(const Sample& sample, Time now);

 private:
  Bytes budget_;
  Bytes left_;
  Bytes current_;
  std::optional<Time> room_since_;
  Bytes room_;  ///< the least that there was since then
};

}  // namespace brim::runtime
