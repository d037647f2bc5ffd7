#include "brim/executor.h"

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "brim/error.h"
#include "plan/spill.h"
#include "runtime/driver.h"
#include "runtime/finished_tasks.h"
#include "runtime/inputs.h"
#include "runtime/plan_graph.h"
#include "runtime/run_recorder.h"
#include "runtime/schedule_options.h"
#include "storage/output.h"
#include "storage/partial_file.h"
#include "storage/scratch_blocks.h"

namespace brim {
namespace {

/// A descriptor that cancel() makes readable from wherever it is called.
class CancelSignal {
 public:
  CancelSignal() : descriptor_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (descriptor_ < 0) throw WorkerError("no descriptor left for an executor", "close files or raise `ulimit -n`");
  }
  ~CancelSignal() { close(descriptor_); }
  CancelSignal(const CancelSignal&) = delete;
  CancelSignal& operator=(const CancelSignal&) = delete;

  int descriptor() const { return descriptor_; }
  void raise() const noexcept {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = write(descriptor_, &one, sizeof one);
  }
  void clear() const {
    std::uint64_t count = 0;
    [[maybe_unused]] const auto bytes = ::read(descriptor_, &count, sizeof count);
  }

 private:
  int descriptor_;
};

/// However a run ends, its cancel does not reach the next one.
struct ClearAtEnd {
  const CancelSignal& signal;
  ~ClearAtEnd() { signal.clear(); }
};

std::vector<std::byte> archive_of(const auto& value) {
  ArchiveWriter archive;
  value.put(archive);
  return archive.take();
}

std::vector<std::vector<std::byte>> archives_of(const std::vector<storage::OutputTarget>& targets) {
  std::vector<std::vector<std::byte>> archives;
  archives.reserve(targets.size());
  for (const auto& target : targets) archives.push_back(archive_of(target));
  return archives;
}

runtime::DriverOptions driver_options(const PhysicalPlan& plan, const ExecutorOptions& options, int cancel_descriptor) {
  runtime::DriverOptions result;
  result.schedule = runtime::schedule_options(plan);
  if (options.fixed_workers)
    result.schedule.fixed_pool =
        schedule::FixedPool{static_cast<std::int32_t>(*options.fixed_workers), options.fixed_task_memory};
  result.schedule.extra_threads = options.extra_threads;
  result.schedule.overlap = options.overlap;
  result.library_memory = plan.worker_mem - plan.machine.reserved_mem;
  result.cancel_descriptor = cancel_descriptor;
  return result;
}

/// "task 17 of op dew, chunk (0, 3, 1)".
std::string task_name(const PhysicalPlan& plan, schedule::TaskId task) {
  const auto& op = plan.ops[static_cast<std::size_t>(task.op)];
  auto name = fmt::format("task {} of op {}", task.index, op.name);
  if (const auto* traversal = std::get_if<ops::Traversal>(&op.detail))
    name += fmt::format(", chunk {} {}", to_string(traversal->loop.coordinates(task.index)),
                        to_string(traversal->loop.box(task.index)));
  return name;
}

/// A budget that the machine cannot give would end in swap or kills.
void require_memory(Bytes budget) {
  const auto available = memory_available_now();
  if (budget <= available) return;
  throw MemoryError(
      fmt::format("the run may hold {}, this machine can give {} now", to_string(budget), to_string(available)),
      "plan with less memory, or free some: `brim info` shows what binds");
}

}  // namespace

class Executor::Impl {
 public:
  explicit Impl(ExecutorOptions options) : options_(std::move(options)) {}

  Report run(const Plan& plan) {
    // Not at the start: a cancel that comes just before this call is meant for it.
    const ClearAtEnd clear_at_end{cancel_};
    const auto& physical = plan.physical();
    require_memory(plan.budget());
    const auto identity = options_.resume ? std::optional(runtime::identity_of(physical)) : std::nullopt;
    storage::OutputFiles files(physical.datasets, options_.scratch_folder, identity);
    runtime::RunRecorder recorder(plan, options_.observers);
    Report report;
    const auto widths = run_tasks(physical, files, recorder, report);
    if (files.assembly_count() > 0) run_assemblies(physical, files, recorder, report);
    runtime::require_unchanged_inputs(physical);
    files.commit();
    return recorder.finish(report, widths);
  }

  void cancel() const noexcept { cancel_.raise(); }

 private:
  std::vector<std::int64_t> run_tasks(const PhysicalPlan& plan, storage::OutputFiles& files,
                                      runtime::RunRecorder& recorder, Report& report) const {
    const runtime::PlanGraph graph(plan);
    runtime::Phase phase;
    phase.graph = &graph;
    const auto scratch_file = scratch_file_for(plan);
    phase.definition = [&](schedule::OpIndex number) {
      auto op = plan.ops[static_cast<std::size_t>(number)];
      if (scratch_file) op.scratch_file = scratch_file->path();
      return pool::Define{number, archive_of(op)};
    };
    phase.message = [](schedule::TaskId task) {
      pool::Run run;
      run.op = task.op;
      run.task_index = task.index;
      return pool::ToWorker(run);
    };
    phase.task_name = [&](schedule::TaskId task) { return task_name(plan, task); };
    phase.done = runtime::tasks_to_skip(plan, graph, files.finished());
    if (!phase.done.empty()) recorder.notice(fmt::format("{} tasks were done before", phase.done.size()));
    if (options_.resume)
      phase.on_done = [&](schedule::TaskId task) {
        if (runtime::leaves_result(plan.ops[static_cast<std::size_t>(task.op)]))
          files.note_finished({task.op, task.index});
      };
    auto options = driver_options(plan, options_, cancel_.descriptor());
    options.targets = archives_of(files.targets());
    for (const auto& op : plan.ops) options.op_names.push_back(op.name);
    runtime::Driver driver(std::move(phase), std::move(options), recorder);
    driver.run();
    driver.add_to(report);
    return driver.widths_observed();
  }

  std::optional<storage::ScratchFile> scratch_file_for(const PhysicalPlan& plan) const {
    const auto size = planning::scratch_file_size(plan.ops);
    if (size == Bytes(0)) return std::nullopt;
    return storage::ScratchFile(options_.scratch_folder, storage::resolve_output(plan.datasets.front().address.file),
                                size);
  }

  /// Compressed files are put together by a worker when all their chunks are there.
  void run_assemblies(const PhysicalPlan& plan, const storage::OutputFiles& files, runtime::RunRecorder& recorder,
                      Report& report) const {
    const runtime::AssemblyGraph graph(static_cast<std::int64_t>(files.assembly_count()), plan.assembly_need);
    runtime::Phase phase;
    phase.graph = &graph;
    phase.definition = [](schedule::OpIndex) { return std::nullopt; };
    phase.message = [&](schedule::TaskId task) {
      return pool::ToWorker(pool::Assemble{0, archives_of(files.assembly(static_cast<std::size_t>(task.index))), {}});
    };
    phase.task_name = [&](schedule::TaskId task) {
      return "putting together " + files.assembly(static_cast<std::size_t>(task.index)).front().dataset.address.file;
    };
    auto options = driver_options(plan, options_, cancel_.descriptor());
    options.schedule.fixed_pool.reset();
    options.op_names = {kAssemblyName};
    options.first_op = plan.ops.size();
    runtime::Driver driver(std::move(phase), std::move(options), recorder);
    driver.run();
    driver.add_to(report);
  }

  static constexpr const char* kAssemblyName = "assemble";

  ExecutorOptions options_;
  CancelSignal cancel_;
};

Executor::Executor(ExecutorOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
Executor::~Executor() = default;
Executor::Executor(Executor&&) noexcept = default;
Executor& Executor::operator=(Executor&&) noexcept = default;

Report Executor::run(const Plan& plan) { return impl_->run(plan); }
void Executor::cancel() noexcept { impl_->cancel(); }

}  // namespace brim
