#include "worker/loop.h"

#include <fmt/format.h>
#include <malloc.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "core/check.h"
#include "worker/failure.h"
#include "worker/lent_blocks.h"

namespace brim::worker {

Loop::Loop(int socket, const shm::ArenaView* view, WorkerCode code)
    : socket_(socket), view_(view), code_(std::move(code)), account_(scratch_memory_) {
  if (view_ != nullptr) pages_.emplace(*view_);
}

void Loop::run() {
  send(pool::Ready{getpid(), account_.idle_resident()});
  while (!stopped_ && receive()) {
    while (const auto frame = stopped_ ? std::nullopt : incoming_.next()) {
      ArchiveReader archive(*frame);
      auto message = pool::get_to_worker(archive);
      std::visit([this](auto& fields) { handle(fields); }, message);
    }
  }
}

bool Loop::receive() {
  const auto space = incoming_.space();
  for (;;) {
    const auto count = recv(socket_, space.data(), space.size(), 0);
    if (count > 0) {
      incoming_.filled(static_cast<std::size_t>(count));
      return true;
    }
    // The end of the stream, or the error that stands for it: the coordinator is gone, and nobody else has a use for
    // us.
    if (count == 0 || errno != EINTR) return false;
  }
}

void Loop::send(const pool::ToCoordinator& message) {
  outgoing_.add(message);
  while (!outgoing_.empty()) {
    const auto pending = outgoing_.pending();
    const auto count = ::send(socket_, pending.data(), pending.size(), MSG_NOSIGNAL);
    if (count >= 0) {
      outgoing_.drop(static_cast<std::size_t>(count));
    } else if (errno != EINTR) {
      stopped_ = true;
      return;
    }
  }
}

void Loop::handle(pool::Targets& message) {
  targets_ = std::move(message.archives);
  ops_.clear();
}

void Loop::handle(pool::Define& message) { ops_[message.op] = {std::move(message.archive), nullptr}; }

/// Before the task's limit is set: stacks are memory.
void Loop::grow_team(int threads) {
  if (threads <= team_.size()) return;
  limit_.lift();
  last_grant_.reset();
  team_.grow_to(threads);
}

void Loop::handle(pool::Run& message) {
  grow_team(message.threads);
  send(perform(message.sequence, message.grant, fmt::format("task {} of op {}", message.task_index, message.op),
               [&](ops::TaskContext& context) { run_task(message, context); }));
}

void Loop::run_task(const pool::Run& task, ops::TaskContext& context) {
  const auto found = ops_.find(task.op);
  check(found != ops_.end(), "a task of an op that was not defined");
  const LentBlocks blocks(view_, task);
  if (pages_ && pages_->prepare(task)) account_.on_blocks_mapped();
  context.task_index = task.task_index;
  context.threads = task.threads;
  context.inputs = blocks.inputs();
  context.output = blocks.output();
  auto& [archive, body] = found->second;
  if (!body) body = code_.load_op(archive, targets_);
  try {
    body->run(context);
  } catch (...) {
    // Nobody knows what state it was left in.
    body.reset();
    throw;
  }
}

void Loop::hold_to(const pool::Grant& grant) {
  if (last_grant_ == grant) return;
  const auto idle_data = memory_.counts().data - scratch_memory_.mapped();
  limit_.set(idle_data, std::max(scratch_memory_.mapped(), grant.scratch), grant.library);
  last_grant_ = grant;
}

pool::ToCoordinator Loop::perform(std::int64_t sequence, const pool::Grant& grant, const std::string& name,
                                  const Work& work) {
  account_.begin();
  std::optional<Failure> failure;
  Bytes peak;
  Bytes bytes_read;
  Bytes bytes_written;
  try {
    hold_to(grant);
    Scratch scratch(scratch_memory_.region(grant.scratch));
    ops::TaskContext context{
        .scratch = scratch, .team = team_, .inputs = {}, .output = {}, .bytes_read = {}, .bytes_written = {}};
    try {
      work(context);
    } catch (...) {
      failure = current_failure(name, grant);
    }
    peak = scratch.peak();
    bytes_read = context.bytes_read;
    bytes_written = context.bytes_written;
  } catch (...) {
    failure = current_failure(name, grant);
  }
  auto usage = account_.end(peak, grant.library);
  usage.bytes_read = bytes_read;
  usage.bytes_written = bytes_written;
  if (failure) return pool::Failed{sequence, std::move(failure->error), failure->memory, usage};
  return pool::Done{sequence, usage};
}

void Loop::handle(pool::Assemble& message) {
  send(perform(message.sequence, message.grant, "putting an output file together", [&](ops::TaskContext& context) {
    context.bytes_written = code_.assemble(message.targets, context.scratch);
  }));
}

void Loop::handle(pool::Trim& message) {
  scratch_memory_.trim(message.keep);
  malloc_trim(0);
  account_.on_trim();
  const auto library = last_grant_ ? last_grant_->library : Bytes(0);
  last_grant_.reset();
  send(pool::Trimmed{account_.held(library)});
}

void Loop::handle(pool::Stop&) { stopped_ = true; }

}  // namespace brim::worker
