#include "brim/dataset.h"

#include <fmt/format.h>

#include "brim/error.h"
#include "storage/hdf5/list.h"
#include "storage/library_lock.h"

namespace brim {

DatasetAddress parse_address(const std::string& text) {
  const auto colon = text.rfind(":/");
  if (colon == std::string::npos || colon == 0)
    throw UsageError(fmt::format("'{}' names no data set", text), "write FILE:/PATH, for example era5.h5:/t2");
  DatasetAddress address{text.substr(0, colon), {}};
  // "//a//b/" is "/a/b".
  for (const char letter : text.substr(colon + 1))
    if (letter != '/' || address.path.empty() || address.path.back() != '/') address.path += letter;
  if (address.path.size() > 1 && address.path.back() == '/') address.path.pop_back();
  if (address.path == "/")
    throw UsageError(fmt::format("'{}' names a file, but no data set in it", text),
                     fmt::format("write FILE:/PATH; see what there is: brim ls {}", address.file));
  return address;
}

std::string to_string(const DatasetAddress& address) { return address.file + ":" + address.path; }

std::vector<DatasetInfo> list_datasets(const std::string& file) {
  const storage::LibraryLock lock;
  return storage::hdf5::list_file(file);
}

}  // namespace brim
