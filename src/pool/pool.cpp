#include "pool/pool.h"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <map>
#include <set>
#include <unordered_map>

#include "brim/error.h"
#include "core/check.h"
#include "pool/descriptor.h"
#include "pool/frames.h"
#include "pool/worker_process.h"

namespace brim::pool {
namespace {

constexpr const char* kDescriptorHint = "raise the limit (ulimit -n) or run fewer workers";
constexpr std::uint64_t kWatched = std::uint64_t{1} << 32;

/// What the pool knows of one worker.
struct Worker {
  explicit Worker(const PoolOptions& options) : process(options) {}

  WorkerProcess process;
  OutgoingFrames outgoing;
  IncomingFrames incoming;
  bool in_flush_list = false;
  bool wants_write = false;  ///< the socket is full; epoll tells when it is not
  bool asked = false;
  std::string reason;
};

}  // namespace

class Pool::Impl {
 public:
  explicit Impl(PoolOptions options) : options_(std::move(options)), epoll_(epoll_create1(EPOLL_CLOEXEC)) {
    if (!epoll_.open())
      throw WorkerError(fmt::format("cannot watch worker processes: {}", std::strerror(errno)), kDescriptorHint);
  }
  ~Impl() { kill_all(); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void start(WorkerNumber number);
  void send(WorkerNumber number, const ToWorker& message);
  void flush();
  const std::vector<Event>& wait(std::optional<Duration> timeout);
  void watch(int descriptor);
  void unwatch(int descriptor);
  void stop(WorkerNumber number);
  void kill(WorkerNumber number);
  void kill_all();
  std::vector<WorkerNumber> workers() const;
  std::int64_t pid(WorkerNumber number) const;

 private:
  Worker* find(WorkerNumber number) const;
  void set_interest(WorkerNumber number, const Worker& worker);
  void write(WorkerNumber number, Worker& worker);
  void on_readable(WorkerNumber number, bool hung_up);
  void take_messages(WorkerNumber number, Worker& worker);
  void bury(WorkerNumber number);

  PoolOptions options_;
  Descriptor epoll_;
  std::map<WorkerNumber, std::unique_ptr<Worker>> workers_;
  std::vector<WorkerNumber> flush_list_;
  std::set<int> watched_;
  std::vector<Event> events_;
};

Worker* Pool::Impl::find(WorkerNumber number) const {
  const auto found = workers_.find(number);
  return found == workers_.end() ? nullptr : found->second.get();
}

void Pool::Impl::start(WorkerNumber number) {
  check(number >= 0 && find(number) == nullptr, "a worker was started under a number in use");
  auto worker = std::make_unique<Worker>(options_);
  epoll_event event{EPOLLIN, {.u64 = static_cast<std::uint64_t>(number)}};
  if (epoll_ctl(epoll_.number(), EPOLL_CTL_ADD, worker->process.socket(), &event) != 0)
    throw WorkerError(fmt::format("cannot watch a worker process: {}", std::strerror(errno)), kDescriptorHint);
  workers_.emplace(number, std::move(worker));
}

void Pool::Impl::send(WorkerNumber number, const ToWorker& message) {
  Worker* worker = find(number);
  if (worker == nullptr) return;
  worker->outgoing.add(message);
  if (worker->in_flush_list) return;
  worker->in_flush_list = true;
  flush_list_.push_back(number);
}

void Pool::Impl::flush() {
  for (const auto number : flush_list_) {
    Worker* worker = find(number);
    if (worker == nullptr) continue;
    worker->in_flush_list = false;
    // A full socket is written again when epoll says so.
    if (!worker->wants_write) write(number, *worker);
  }
  flush_list_.clear();
}

void Pool::Impl::set_interest(WorkerNumber number, const Worker& worker) {
  const std::uint32_t mask = worker.wants_write ? EPOLLIN | EPOLLOUT : EPOLLIN;
  epoll_event event{mask, {.u64 = static_cast<std::uint64_t>(number)}};
  check(epoll_ctl(epoll_.number(), EPOLL_CTL_MOD, worker.process.socket(), &event) == 0, "a socket is not watched");
}

void Pool::Impl::write(WorkerNumber number, Worker& worker) {
  bool full = false;
  while (!worker.outgoing.empty() && !full) {
    const auto pending = worker.outgoing.pending();
    const auto count = ::send(worker.process.socket(), pending.data(), pending.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count >= 0) {
      worker.outgoing.drop(static_cast<std::size_t>(count));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      full = true;
    } else if (errno != EINTR) {
      worker.outgoing.clear();  // It is gone: the end of file behind its last messages tells.
    }
  }
  if (full == worker.wants_write) return;
  worker.wants_write = full;
  set_interest(number, worker);
}

const std::vector<Event>& Pool::Impl::wait(std::optional<Duration> timeout) {
  events_.clear();
  flush();
  if (workers_.empty() && watched_.empty() && !timeout) return events_;
  int milliseconds = -1;
  if (timeout) {
    // Rounded up: a wait that ends too early makes its caller spin.
    const auto rounded = std::chrono::ceil<std::chrono::milliseconds>(std::max(*timeout, Duration::zero())).count();
    milliseconds = static_cast<int>(std::min<std::int64_t>(rounded, 1 << 30));
  }
  std::array<epoll_event, 64> ready{};
  const int count = epoll_wait(epoll_.number(), ready.data(), ready.size(), milliseconds);
  for (int i = 0; i < count; ++i) {
    const auto& [mask, data] = ready[static_cast<std::size_t>(i)];
    if ((data.u64 & kWatched) != 0) {
      events_.push_back({-1, DescriptorReady{static_cast<int>(data.u64 & (kWatched - 1))}});
      continue;
    }
    const auto number = static_cast<WorkerNumber>(data.u64);
    if ((mask & EPOLLOUT) != 0) write(number, *find(number));
    if ((mask & ~static_cast<std::uint32_t>(EPOLLOUT)) != 0) on_readable(number, (mask & (EPOLLHUP | EPOLLERR)) != 0);
  }
  return events_;
}

void Pool::Impl::on_readable(WorkerNumber number, bool hung_up) {
  Worker& worker = *find(number);
  for (;;) {
    const auto space = worker.incoming.space();
    const auto count = recv(worker.process.socket(), space.data(), space.size(), MSG_DONTWAIT);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (count <= 0) return bury(number);
    worker.incoming.filled(static_cast<std::size_t>(count));
    take_messages(number, worker);
    // A short read has emptied the socket; one more would only say so. Behind a dead worker's last words comes the end.
    if (!hung_up) return;
  }
}

void Pool::Impl::take_messages(WorkerNumber number, Worker& worker) {
  // What follows garbage means nothing.
  if (!worker.reason.empty()) {
    worker.incoming = {};
    return;
  }
  try {
    while (const auto frame = worker.incoming.next()) {
      ArchiveReader archive(*frame);
      std::visit(
          [&](auto&& message) {
            events_.push_back({number, std::forward<decltype(message)>(message)});
          },
          get_to_coordinator(archive));
    }
  } catch (const Error& error) {
    worker.reason = fmt::format("it sent something that is not a message: {}", error.record().what);
    worker.incoming = {};
    worker.process.kill();
  }
}

void Pool::Impl::bury(WorkerNumber number) {
  auto worker = std::move(workers_.at(number));
  workers_.erase(number);
  WorkerGone gone;
  gone.status = worker->process.reap();
  gone.asked = worker->asked;
  gone.reason = std::move(worker->reason);
  events_.push_back({number, std::move(gone)});
}

void Pool::Impl::watch(int descriptor) {
  epoll_event event{EPOLLIN, {.u64 = kWatched | static_cast<std::uint32_t>(descriptor)}};
  check(epoll_ctl(epoll_.number(), EPOLL_CTL_ADD, descriptor, &event) == 0, "a descriptor that cannot be watched");
  watched_.insert(descriptor);
}

void Pool::Impl::unwatch(int descriptor) {
  epoll_ctl(epoll_.number(), EPOLL_CTL_DEL, descriptor, nullptr);
  watched_.erase(descriptor);
}

void Pool::Impl::stop(WorkerNumber number) {
  if (Worker* worker = find(number)) worker->asked = true;
  send(number, Stop{});
}

void Pool::Impl::kill(WorkerNumber number) {
  Worker* worker = find(number);
  if (worker == nullptr) return;
  worker->asked = true;
  worker->process.kill();
}

void Pool::Impl::kill_all() {
  for (const auto& entry : workers_) kill(entry.first);
}

std::vector<WorkerNumber> Pool::Impl::workers() const {
  std::vector<WorkerNumber> numbers;
  for (const auto& entry : workers_) numbers.push_back(entry.first);
  return numbers;
}

std::int64_t Pool::Impl::pid(WorkerNumber number) const {
  const Worker* worker = find(number);
  check(worker != nullptr, "the process id of a worker that does not exist");
  return worker->process.pid();
}

Pool::Pool(PoolOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
Pool::~Pool() = default;
void Pool::start(WorkerNumber worker) { impl_->start(worker); }
void Pool::send(WorkerNumber worker, const ToWorker& message) { impl_->send(worker, message); }
void Pool::flush() { impl_->flush(); }
const std::vector<Event>& Pool::wait(std::optional<Duration> timeout) { return impl_->wait(timeout); }
void Pool::watch(int descriptor) { impl_->watch(descriptor); }
void Pool::unwatch(int descriptor) { impl_->unwatch(descriptor); }
void Pool::stop(WorkerNumber worker) { impl_->stop(worker); }
void Pool::kill(WorkerNumber worker) { impl_->kill(worker); }
void Pool::kill_all() { impl_->kill_all(); }
std::vector<WorkerNumber> Pool::workers() const { return impl_->workers(); }
std::int64_t Pool::pid(WorkerNumber worker) const { return impl_->pid(worker); }

}  // namespace brim::pool
