#pragma once

#include <filesystem>
#include <string>

#include "brim/dataset.h"
#include "brim/shape.h"
#include "oracle/numpy_oracle.h"
#include "storage/source.h"

namespace brim::storage {

/// A directory of its own for one test, removed with everything in it.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  /// The path of that name inside.
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Runs Python statements in the oracle process; np and h5py are known, and names stay for the next call.
void run_python(const std::string& code);
/// The value of a Python expression over those names.
oracle::OracleArray python_value(const std::string& expression, const std::map<std::string, oracle::OracleArray>& = {});
/// A region of a data set as h5py reads it; half floats as float32.
oracle::OracleArray h5py_values(const DatasetAddress& address, const Box& region);
/// The region as an index: "1:3,0:5,"; "()" for a 0-d array.
std::string python_index(const Box& region);

/// The whole of a shape as a region.
Box whole(const Shape& shape);

/// Reads a region with a Reader in a scratch of exactly read_scratch() bytes; every byte of the destination was set to
/// something else before.
std::vector<std::byte> read_region(const Source& source, const Box& region);

}  // namespace brim::storage
