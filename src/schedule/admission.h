#pragma once

#include <cstdint>

#include "schedule/run_state.h"

namespace brim::schedule {

enum class Verdict : std::uint8_t {
  kIdleWorker,  ///< start it there
  kNewWorker,   ///< start a worker for it
  kQueue,       ///< send it behind what that worker runs
  kReclaim,     ///< fits once idle workers have given back memory
  kBlocked,     ///< fits once running tasks have ended
  kTooEarly,    ///< not yet, whatever ends: its op is at its limit, or resident chunks leave no room
  kNoWorker,    ///< every worker is taken, for any task
};

struct Admission {
  Verdict verdict = Verdict::kNoWorker;
  WorkerNumber worker = -1;
  Bytes missing{};  ///< kBlocked: bytes it lacks even with all idle workers gone
};

/// May this task start now, and where? Changes nothing.
Admission judge(const RunState& state, const ReadyTask& task);

/// True when one more task of this op may be at work.
bool within_width(const RunState& state, OpIndex op);

/// What a task may be granted, residents included, when it is alone with one worker and the chunks that live now.
Bytes room_alone(const RunState& state);

/// True when the task fits the whole budget with nothing else there.
bool can_ever_fit(const RunState& state, const TaskMemory& memory);

}  // namespace brim::schedule
