#pragma once

#include "brim/lower_bound.h"
#include "schedule/scheduler.h"
#include "schedule/task_work.h"

namespace brim::schedule {

/// How long any schedule of the graph takes at least, on this machine and in worker processes of this size. Tasks take
/// the least that they can: as many threads as the graph and the cores allow, no wait for a core. Nothing is known of
/// workers' starts and messages, and a fixed pool is not looked at. Cost: a visit of every dependency, and two numbers
/// for each task of ops that others depend on.
LowerBound lower_bound(const TaskGraph& graph, const Options& machine, const WorkOf& work);

}  // namespace brim::schedule
