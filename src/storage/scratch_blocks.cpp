#include "storage/scratch_blocks.h"

#include <fmt/format.h>
#include <libdeflate.h>
#include <unistd.h>

#include "brim/error.h"
#include "storage/partial_file.h"

namespace brim::storage {
namespace {

struct Header {
  std::int64_t size = -1;
  std::uint32_t checksum = 0;
};

std::uint32_t checksum(std::span<const std::byte> bytes) { return libdeflate_crc32(0, bytes.data(), bytes.size()); }

}  // namespace

ScratchFile::ScratchFile(const std::string& folder, const std::string& output, Bytes size)
    : file_(nameless_file(folder.empty() ? output : folder + "/brim")) {
  require_room(folder.empty() ? output : folder + "/brim", size.count(), 0);
}

std::string ScratchFile::path() const { return fmt::format("/proc/{}/fd/{}", getpid(), file_.descriptor()); }

std::int64_t ScratchBlocks::distance(std::int64_t bytes) {
  constexpr std::int64_t kPage = 4096;
  return (kHeaderBytes + bytes + kPage - 1) / kPage * kPage;
}

ScratchBlocks::ScratchBlocks(const std::string& path)
    : file_(File::open(path, File::Access::kWrite, "the scratch file")) {}

void ScratchBlocks::write(std::int64_t place, std::span<const std::byte> block) const {
  const Header header{std::ssize(block), checksum(block)};
  file_.write(place + kHeaderBytes, block);
  file_.write(place, std::as_bytes(std::span(&header, 1)));
}

void ScratchBlocks::read(std::int64_t place, std::span<std::byte> block) const {
  Header header;
  file_.read(place, std::as_writable_bytes(std::span(&header, 1)));
  if (header.size == std::ssize(block)) {
    file_.read(place + kHeaderBytes, block);
    if (checksum(block) == header.checksum) return;
  }
  throw StorageError(fmt::format("the scratch file is damaged at byte {}", place),
                     "the disk may fail: choose another scratch directory");
}

}  // namespace brim::storage
