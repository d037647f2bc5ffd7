#include "storage/hdf5/call.h"

#include <fmt/format.h>

#include "brim/error.h"

namespace brim::storage::hdf5 {
namespace {

/// H5Ewalk2 goes from the innermost failure outwards: the first description is the reason.
herr_t take_description(unsigned depth, const H5E_error2_t* error, void* text) {
  auto& reason = *static_cast<std::string*>(text);
  if (depth == 0 && error->desc != nullptr) reason = error->desc;
  return 0;
}

std::string hint_for(const std::string& reason) {
  if (reason.find("required filter") != std::string::npos)
    return "install the HDF5 filter plugin and name its folder in HDF5_PLUGIN_PATH";
  if (reason.find("No space left") != std::string::npos || reason.find("quota") != std::string::npos)
    return "the disk is full (or its quota is used up): make room or choose another place";
  if (reason.find("Input/output error") != std::string::npos)
    return "the disk or the way to it fails: see the system's log (dmesg), and try a copy on another disk";
  if (reason.find("File too large") != std::string::npos)
    return "files may not grow that large here: see ulimit -f, and the limits of the file system";
  if (reason.find("Too many open files") != std::string::npos) return "too many files are open: raise ulimit -n";
  if (reason.find("already open for write") != std::string::npos)
    return "another program is writing it, or died while it did: then h5clear -s makes it readable";
  if (reason.find("truncated") != std::string::npos)
    return "it was cut off while being copied or written: get it again";
  return {};
}

}  // namespace

Handle::~Handle() {
  if (id_ < 0) return;
  const QuietErrors quiet;
  close_(id_);
}

QuietErrors::QuietErrors() {
  H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
  if (function_ != nullptr) H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

QuietErrors::~QuietErrors() {
  if (function_ != nullptr) H5Eset_auto2(H5E_DEFAULT, function_, data_);
}

std::string error_reason() {
  std::string reason;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_description, &reason);
  return reason;
}

void throw_hdf5_error(const std::string& action) {
  const auto reason = error_reason();
  throw StorageError(fmt::format("cannot {}: {}", action, reason.empty() ? "HDF5 does not say why" : reason),
                     hint_for(reason));
}

}  // namespace brim::storage::hdf5
