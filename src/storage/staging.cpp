#include "storage/staging.h"

#include "core/check.h"

namespace brim::storage {

std::int64_t Staging::slot_bytes(std::int64_t most_stored) {
  constexpr std::int64_t kPage = 4096;  // a slot that was never written takes no room
  return (kHeaderBytes + most_stored + kPage - 1) / kPage * kPage;
}

Staging::Staging(const OutputTarget& target)
    : file_(
          File::open(target.staging_file, File::Access::kWrite, "the staging file of " + target.dataset.address.file)),
      slot_bytes_(target.slot_bytes) {}

void Staging::finish(std::int64_t chunk, std::int64_t size) const {
  file_.write(chunk * slot_bytes_, std::as_bytes(std::span(&size, 1)));
}

std::int64_t Staging::size(std::int64_t chunk) const {
  std::int64_t size = 0;
  if (chunk * slot_bytes_ < file_.stamp().size)
    file_.read(chunk * slot_bytes_, std::as_writable_bytes(std::span(&size, 1)));
  check(size > 0 && size <= slot_bytes_ - kHeaderBytes, "a chunk of an output was never written");
  return size;
}

}  // namespace brim::storage
