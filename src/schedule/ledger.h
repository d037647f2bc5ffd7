#pragma once

#include <cstdint>
#include <list>
#include <unordered_map>
#include <vector>

#include "brim/bytes.h"
#include "schedule/scheduler.h"

namespace brim::schedule {

/// What a block of `size` bytes takes: whole pages, as the arena counts.
Bytes charged_block(Bytes size);

/// The account of every byte (D3). Whatever makes the total grow is checked against the budget, in all builds.
///
/// Blocks are kept here as the arena keeps them: a freed block stays cached; a grant takes the most recently freed
/// cached block of the same charged size, else fresh memory; release gives whole blocks back, oldest first. So the
/// account and the arena agree as long as actions are carried out in order.
class Ledger {
 public:
  Ledger(Bytes budget, Bytes coordinator);

  void set_budget(Bytes budget) { totals_.budget = budget; }
  void add_worker(Bytes reserved, Bytes held);
  void remove_worker(Bytes reserved, Bytes held);
  void change_held(Bytes from, Bytes to);
  /// Room for a block that is allocated later.
  void promise_block(Bytes charged);
  void take_promise_back(Bytes charged);
  /// Allocates a promised block: nothing grows, so it is right even when the budget shrank meanwhile.
  void keep_promise(Bytes charged);
  void allocate_block(Bytes charged);
  void free_block(Bytes charged);
  /// Returns what was released: at least `wanted` if there is that much.
  Bytes release_cached(Bytes wanted);

  bool can_reuse(Bytes charged) const { return cache_by_size_.contains(charged.count()); }
  const LedgerTotals& totals() const { return totals_; }
  /// Budget less everything; negative when the budget shrank below what is held.
  Bytes free() const { return totals_.budget - totals_.total(); }
  /// The same with the cached blocks given back.
  Bytes free_without_cache() const { return free() + totals_.cached; }
  Bytes peak() const { return peak_; }
  Bytes resident_peak() const { return resident_peak_; }

 private:
  using Cache = std::list<Bytes>;
  void take_block(Bytes charged);
  void on_grant();

  LedgerTotals totals_;
  Cache cache_;                                                                 ///< oldest first
  std::unordered_map<std::int64_t, std::list<Cache::iterator>> cache_by_size_;  ///< oldest first
  Bytes peak_;
  Bytes resident_peak_;
};

}  // namespace brim::schedule
