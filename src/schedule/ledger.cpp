#include "schedule/ledger.h"

#include <algorithm>

#include "core/check.h"

namespace brim::schedule {

Bytes charged_block(Bytes size) {
  constexpr std::int64_t kPage = 4096;
  return Bytes((size.count() + kPage - 1) / kPage * kPage);
}

Ledger::Ledger(Bytes budget, Bytes coordinator) {
  totals_.budget = budget;
  totals_.coordinator = coordinator;
  peak_ = coordinator;
}

void Ledger::add_worker(Bytes reserved, Bytes held) {
  totals_.reserved += reserved;
  totals_.held += held;
  on_grant();
}

void Ledger::remove_worker(Bytes reserved, Bytes held) {
  totals_.reserved -= reserved;
  totals_.held -= held;
  check(totals_.reserved >= Bytes(0) && totals_.held >= Bytes(0), "a worker was taken off the ledger twice");
}

void Ledger::change_held(Bytes from, Bytes to) {
  totals_.held += to - from;
  check(totals_.held >= Bytes(0), "workers hold less than nothing");
  if (to > from) on_grant();
}

void Ledger::promise_block(Bytes charged) {
  totals_.promised += charged;
  on_grant();
}

void Ledger::take_promise_back(Bytes charged) {
  totals_.promised -= charged;
  check(totals_.promised >= Bytes(0), "a promise was taken back twice");
}

void Ledger::keep_promise(Bytes charged) {
  take_promise_back(charged);
  take_block(charged);
}

void Ledger::allocate_block(Bytes charged) {
  take_block(charged);
  on_grant();
}

void Ledger::take_block(Bytes charged) {
  if (charged == Bytes(0)) return;
  if (const auto found = cache_by_size_.find(charged.count()); found != cache_by_size_.end()) {
    cache_.erase(found->second.back());
    found->second.pop_back();
    if (found->second.empty()) cache_by_size_.erase(found);
    totals_.cached -= charged;
  }
  totals_.resident += charged;
  resident_peak_ = std::max(resident_peak_, totals_.resident);
}

void Ledger::free_block(Bytes charged) {
  if (charged == Bytes(0)) return;
  totals_.resident -= charged;
  totals_.cached += charged;
  check(totals_.resident >= Bytes(0), "a block was freed twice");
  cache_by_size_[charged.count()].push_back(cache_.insert(cache_.end(), charged));
}

Bytes Ledger::release_cached(Bytes wanted) {
  Bytes released;
  while (released < wanted && !cache_.empty()) {
    const auto size = cache_.front();
    const auto found = cache_by_size_.find(size.count());
    found->second.pop_front();
    if (found->second.empty()) cache_by_size_.erase(found);
    cache_.pop_front();
    released += size;
  }
  totals_.cached -= released;
  return released;
}

void Ledger::on_grant() {
  check(totals_.total() <= totals_.budget, "the ledger passes the budget");
  peak_ = std::max(peak_, totals_.total());
}

}  // namespace brim::schedule
