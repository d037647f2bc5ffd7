#include "runtime/budget_watch.h"

#include <algorithm>

#include "brim/machine.h"

namespace brim::runtime {
namespace {

/// Smaller changes than this part of the budget are other programs' breath.
constexpr std::int64_t kNarrowPart = 50;
constexpr std::int64_t kWidenPart = 20;
/// How long there must have been room before it is used again.
constexpr std::chrono::seconds kWidenAfter{2};

}  // namespace

BudgetWatch::BudgetWatch(Bytes budget, Bytes left)
    : budget_(budget), left_(std::max(Bytes(0), left)), current_(budget) {}

std::optional<Bytes> BudgetWatch::decide(const Sample& sample, Time now) {
  const auto share = std::min(left_, safety_share(sample.available + sample.held));
  const auto wanted = std::min(budget_, std::max(sample.least, sample.held + sample.available - share));
  const bool narrow = wanted < current_ - Bytes(budget_.count() / kNarrowPart);
  if (narrow || (current_ < sample.least && current_ < wanted)) {
    room_since_.reset();
    current_ = wanted;
    return current_;
  }
  const bool wide =
      wanted > current_ + Bytes(budget_.count() / kWidenPart) || (wanted == budget_ && current_ < budget_);
  if (!wide) {
    room_since_.reset();
    return std::nullopt;
  }
  room_ = room_since_ ? std::min(room_, wanted) : wanted;
  if (!room_since_) room_since_ = now;
  if (now - *room_since_ < kWidenAfter) return std::nullopt;
  room_since_.reset();
  current_ = room_;
  return current_;
}

}  // namespace brim::runtime
