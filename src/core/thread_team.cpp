#include "core/thread_team.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <exception>
#include <latch>
#include <vector>

namespace brim {

struct ThreadTeam::Pool {
  explicit Pool(int threads) : threads(static_cast<std::size_t>(threads)) {}
  ~Pool() { threads.join(); }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  boost::asio::thread_pool threads;
};

ThreadTeam::ThreadTeam() = default;
ThreadTeam::~ThreadTeam() = default;

void ThreadTeam::grow_to(int threads) {
  if (threads <= size_) return;
  pool_.reset();
  size_ = 1;
  try {
    pool_ = std::make_unique<Pool>(threads - 1);
    size_ = threads;
  } catch (const std::exception&) {
    // No thread, or no memory for one: the calling thread does it all.
    pool_.reset();
  }
}

void ThreadTeam::run(int parts, const std::function<void(int)>& work) {
  std::vector<std::exception_ptr> errors(static_cast<std::size_t>(parts));
  const auto guarded = [&](int part) {
    try {
      work(part);
    } catch (...) {
      errors[static_cast<std::size_t>(part)] = std::current_exception();
    }
  };
  std::latch others(parts > 0 ? parts - 1 : 0);
  for (int part = 1; part < parts && pool_; ++part)
    boost::asio::post(pool_->threads, [&, part] {
      guarded(part);
      others.count_down();
    });
  for (int part = 0; part < (pool_ ? std::min(parts, 1) : parts); ++part) guarded(part);
  if (pool_) others.wait();
  for (const auto& error : errors)
    if (error) std::rethrow_exception(error);
}

}  // namespace brim
