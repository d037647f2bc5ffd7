#include "schedule/shared_cores.h"

#include <algorithm>

namespace brim::schedule {

void SharedCores::start(double now, WorkerNumber worker, std::int32_t threads, double cpu_seconds) {
  served_ += (now - now_) * rate();
  now_ = now;
  jobs_.push({served_ + cpu_seconds / threads, next_number_++, worker, threads});
  threads_ += threads;
}

std::optional<double> SharedCores::next_end() const {
  if (jobs_.empty()) return std::nullopt;
  return std::max(now_, now_ + (jobs_.top().end - served_) / rate());
}

WorkerNumber SharedCores::end_next() {
  now_ = *next_end();
  const auto job = jobs_.top();
  jobs_.pop();
  served_ = job.end;
  threads_ -= job.threads;
  return job.worker;
}

}  // namespace brim::schedule
