#include "storage/output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "brim/error.h"
#include "core/check.h"
#include "storage/hdf5/assemble.h"
#include "storage/hdf5/chunk_writer.h"
#include "storage/hdf5/layout.h"
#include "storage/library_lock.h"
#include "storage/partial_file.h"
#include "storage/staging.h"

namespace brim::storage {
namespace {

/// One output file with what goes into it.
struct OutputFile {
  PartialFile partial;
  std::vector<std::size_t> datasets;  ///< their numbers
  std::vector<File> staging;          ///< one per data set, or none
};

/// What the data of a file take, not compressed.
std::int64_t needed_room(const std::string& existing, const std::vector<OutputDataset>& datasets) {
  std::int64_t bytes = existing.empty() ? 0 : File::open(existing, File::Access::kRead).stamp().size;
  for (const auto& dataset : datasets) bytes += dataset.grid.chunk_count() * hdf5::chunk_bytes(dataset);
  return bytes;
}

/// Workers may stand in another directory.
OutputDataset with_absolute_names(OutputDataset dataset) {
  dataset.address.file = resolve_output(dataset.address.file);
  if (dataset.attributes_from)
    dataset.attributes_from->file = std::filesystem::absolute(dataset.attributes_from->file).string();
  return dataset;
}

}  // namespace

class OutputFiles::Impl {
 public:
  Impl(const std::vector<OutputDataset>& datasets, std::string staging_folder,
       const std::optional<RunIdentity>& resumable)
      : staging_folder_(std::move(staging_folder)) {
    for (const auto& dataset : datasets) add(with_absolute_names(dataset), dataset.address);
    if (resumable)
      take_up(*resumable);
    else
      for (auto& file : files_) lay_out(file);
  }
  ~Impl() = default;
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  std::vector<FinishedTask> finished() const { return journal_ ? journal_->finished() : std::vector<FinishedTask>(); }
  void note_finished(FinishedTask task) {
    check(journal_.has_value(), "a task was noted of a run that cannot be resumed");
    journal_->add(task);
  }

  const std::vector<OutputTarget>& targets() const { return targets_; }

  std::vector<const OutputFile*> assemblies() const {
    std::vector<const OutputFile*> staged;
    for (const auto& file : files_)
      if (!file.staging.empty()) staged.push_back(&file);
    return staged;
  }

  std::vector<OutputTarget> targets_of(const OutputFile& file) const {
    std::vector<OutputTarget> targets;
    for (const auto number : file.datasets) targets.push_back(targets_[number]);
    return targets;
  }

  void commit() {
    for (auto& file : files_) file.partial.commit();
  }

 private:
  void add(OutputDataset dataset, const DatasetAddress& as_given) {
    auto file = std::find_if(files_.begin(), files_.end(),
                             [&](const OutputFile& known) { return known.partial.output() == dataset.address.file; });
    if (file == files_.end()) {
      files_.push_back({PartialFile(dataset.address.file), {}, {}});
      file = files_.end() - 1;
    }
    for (const auto number : file->datasets)
      if (targets_[number].dataset.address.path == dataset.address.path)
        throw StorageError(fmt::format("two outputs go to {}", to_string(as_given)), "name another place for one");
    file->datasets.push_back(targets_.size());
    OutputTarget target;
    target.dataset = std::move(dataset);
    target.partial_file = file->partial.file().name();
    if (file->partial.replaces()) target.existing_file = file->partial.output();
    targets_.push_back(std::move(target));
  }

  /// Goes on where an earlier run was stopped, or begins a run that can be stopped.
  void take_up(const RunIdentity& identity) {
    if (files_.size() != 1)
      throw UsageError(fmt::format("a run that can be resumed writes one file, not {}", files_.size()),
                       "put all outputs into one file, or run without --resume");
    auto& file = files_.front();
    if (std::any_of(targets_.begin(), targets_.end(), [](const auto& t) { return hdf5::is_compressed(t.dataset); }))
      throw UsageError("a run that can be resumed writes uncompressed outputs",
                       "write them without compression, or run without --resume");
    const auto mark = file.partial.mark();
    // What is refused stays as it was; an empty file was made just now.
    if (file.partial.file().stamp().size > 0) {
      file.partial.keep();
      journal_ = Journal::find(file.partial.output(), identity, mark);
      if (journal_) return;
    }
    lay_out(file);
    journal_.emplace(file.partial.output(), identity, mark);
    file.partial.keep();
  }

  void lay_out(OutputFile& file) {
    file.partial.empty();
    std::vector<OutputDataset> datasets;
    for (const auto number : file.datasets) datasets.push_back(targets_[number].dataset);
    const bool staged = std::any_of(datasets.begin(), datasets.end(), hdf5::is_compressed);
    const auto& existing = targets_[file.datasets.front()].existing_file;
    if (!staged) require_room(file.partial.output(), needed_room(existing, datasets), 0);
    hdf5::lay_out(file.partial.file(), existing, datasets, staged ? hdf5::Room::kAsNeeded : hdf5::Room::kAhead);
    if (!staged) {
      file.partial.reserve();
      return;
    }
    for (const auto number : file.datasets) {
      file.staging.push_back(
          nameless_file(staging_folder_.empty() ? file.partial.output() : staging_folder_ + "/brim"));
      auto& target = targets_[number];
      target.staging_file = fmt::format("/proc/{}/fd/{}", getpid(), file.staging.back().descriptor());
      target.slot_bytes = Staging::slot_bytes(hdf5::most_stored(target.dataset));
    }
  }

  std::string staging_folder_;
  std::optional<Journal> journal_;
  std::vector<OutputFile> files_;
  std::vector<OutputTarget> targets_;
};

OutputFiles::OutputFiles(const std::vector<OutputDataset>& datasets, const std::string& staging_folder,
                         const std::optional<RunIdentity>& resumable) {
  const LibraryLock lock;
  impl_ = std::make_unique<Impl>(datasets, staging_folder, resumable);
}
OutputFiles::~OutputFiles() = default;
OutputFiles::OutputFiles(OutputFiles&&) noexcept = default;
OutputFiles& OutputFiles::operator=(OutputFiles&&) noexcept = default;

const std::vector<OutputTarget>& OutputFiles::targets() const { return impl_->targets(); }
std::size_t OutputFiles::assembly_count() const { return impl_->assemblies().size(); }
std::vector<OutputTarget> OutputFiles::assembly(std::size_t index) const {
  const auto staged = impl_->assemblies();
  check(index < staged.size(), "an assembly out of range");
  return impl_->targets_of(*staged[index]);
}
std::vector<FinishedTask> OutputFiles::finished() const { return impl_->finished(); }
void OutputFiles::note_finished(FinishedTask task) { impl_->note_finished(task); }
void OutputFiles::commit() { impl_->commit(); }

// HDF5 is the only format so far; another one is chosen between here.
class Writer::Impl : public hdf5::ChunkWriter {
 public:
  using ChunkWriter::ChunkWriter;
};

Writer::Writer(const OutputTarget& target) {
  const LibraryLock lock;
  impl_ = std::make_unique<Impl>(target);
}
Writer::~Writer() {
  const LibraryLock lock;
  impl_.reset();
}
Writer::Writer(Writer&&) noexcept = default;
Writer& Writer::operator=(Writer&&) noexcept = default;

Bytes Writer::write(const Box& region, std::span<const std::byte> data, Scratch& scratch) {
  const LibraryLock lock;
  return impl_->write(region, data, scratch);
}

Bytes write_scratch(const OutputDataset& dataset) { return hdf5::writer_scratch(dataset); }
Bytes library_memory(const OutputDataset& dataset) { return hdf5::writer_library_memory(dataset); }
Bytes assemble_scratch(const std::vector<OutputDataset>& datasets) { return hdf5::assembly_scratch(datasets); }
Bytes assemble(const std::vector<OutputTarget>& targets, Scratch& scratch) {
  const LibraryLock lock;
  return hdf5::assemble_file(targets, scratch);
}

}  // namespace brim::storage
