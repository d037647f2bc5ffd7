#pragma once

#include <optional>
#include <vector>

#include "schedule/events.h"
#include "schedule/run_state.h"

namespace brim::schedule {

/// What `tasks` more tasks like this one would take on new workers, as many as there may be.
Bytes room_for_more(const RunState& state, const ReadyTask& task, std::int64_t tasks);

/// Gets memory back that is only kept: cached blocks (at once), scratch of workers beyond what their tasks may use, and
/// idle workers themselves (both when confirmed). Takes no more than is wanted, least costly first. The workers of a
/// fixed pool keep what they have.
class Reclaimer {
 public:
  Reclaimer(RunState& state, std::vector<Action>& actions) : state_(state), actions_(actions) {}

  /// Releases cached blocks until workers can grow by `growth` and a block of `block` bytes can be granted.
  void make_room(Bytes growth, Bytes block);
  /// Asks idle workers for what `task` lacks to run on one of them, or on a new one in their place.
  void make_idle_give(const ReadyTask& task);
  /// Asks busy workers to give back what their present tasks may not use: the `missing` bytes that `task` lacks, and
  /// what more tasks like it would take as far as no task that is left needs it where it is.
  void make_busy_give(const ReadyTask& task, Bytes missing);
  /// Asks a worker that is about to be sent a smaller task for the rest, where more workers could run on it: at once
  /// for what no task that is left needs, else when that is worth more than touching it again. The task must be sent
  /// after that.
  void trim_before(WorkerNumber worker, const ReadyTask& task);
  /// Gets below a budget that shrank.
  void shrink_to_budget();

 private:
  Bytes trim(WorkerNumber worker, Bytes wanted);
  void send_trim(WorkerNumber worker, Bytes keep);
  Bytes trim_idle(Bytes wanted, std::optional<WorkerNumber> except);
  Bytes trim_busy(Bytes wanted, Bytes keep);
  Bytes stop_idle(Bytes wanted, std::optional<WorkerNumber> except);
  bool is_outweighed(WorkerNumber worker, const ReadyTask& task, Bytes kept);
  Bytes largest_grant_left() const;
  Bytes idle_excess(std::optional<WorkerNumber> except) const;
  Bytes idle_in_flight(std::optional<WorkerNumber> except) const;

  RunState& state_;
  std::vector<Action>& actions_;
};

}  // namespace brim::schedule
