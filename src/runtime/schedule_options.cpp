#include "runtime/schedule_options.h"

namespace brim::runtime {

schedule::Options schedule_options(const PhysicalPlan& plan) {
  schedule::Options options;
  options.budget = plan.budget;
  options.coordinator_mem = plan.coordinator_mem;
  options.reserved_mem = plan.worker_mem;
  options.cores = plan.machine.cores;
  if (plan.workers_named) options.max_workers = static_cast<std::int32_t>(plan.max_workers);
  return options;
}

}  // namespace brim::runtime
