#include "worker/grant_limit.h"

#include <sys/resource.h>

#include <algorithm>

#include "shm/poison.h"

namespace brim::worker {
namespace {

#if defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
constexpr bool kSanitized = shm::kAddressSanitizer || __has_feature(thread_sanitizer);
#else
constexpr bool kSanitized = shm::kAddressSanitizer;
#endif

}  // namespace

void GrantLimit::set(Bytes idle_data, Bytes scratch, Bytes library) {
  if (kSanitized) return;
  const Bytes limit = idle_data + scratch + library + kSlack;
  if (limit_ == limit) return;
  rlimit now{};
  if (getrlimit(RLIMIT_DATA, &now) != 0) return;
  now.rlim_cur = std::min(static_cast<rlim_t>(limit.count()), now.rlim_max);
  if (setrlimit(RLIMIT_DATA, &now) == 0) limit_ = limit;
}

void GrantLimit::lift() {
  if (!limit_) return;
  rlimit now{};
  if (getrlimit(RLIMIT_DATA, &now) != 0) return;
  now.rlim_cur = now.rlim_max;
  if (setrlimit(RLIMIT_DATA, &now) == 0) limit_.reset();
}

}  // namespace brim::worker
