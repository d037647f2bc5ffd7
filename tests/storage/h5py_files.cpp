#include "storage/h5py_files.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <nlohmann/json.hpp>

namespace brim::storage {

TemporaryDirectory::TemporaryDirectory() {
  std::string name = (std::filesystem::temp_directory_path() / "brim-storage-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary directory");
  path_ = name;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void run_python(const std::string& code) {
  const auto quoted = nlohmann::json("import numpy as np, h5py\n" + code).dump();
  oracle::evaluate(fmt::format("exec({}, kept) or 1", quoted));
}

oracle::OracleArray python_value(const std::string& expression,
                                 const std::map<std::string, oracle::OracleArray>& names) {
  std::string assigned;
  for (const auto& [name, array] : names) assigned += fmt::format("'{0}': {0}, ", name);
  return oracle::evaluate(fmt::format("eval({}, kept, {{{}}})", nlohmann::json(expression).dump(), assigned), names);
}

std::string python_index(const Box& region) {
  if (region.start.empty()) return "()";
  std::string index;
  for (std::size_t axis = 0; axis < region.start.size(); ++axis)
    index += fmt::format("{}:{},", region.start[axis], region.stop[axis]);
  return index;
}

oracle::OracleArray h5py_values(const DatasetAddress& address, const Box& region) {
  run_python(
      "def values(file, path, index):\n"
      "  with h5py.File(file, 'r') as f:\n"
      "    v = np.asarray(f[path][index])\n"
      "  v = v.astype(np.float32) if v.dtype.kind == 'f' and v.dtype.itemsize == 2 else v\n"
      "  return v.astype(v.dtype.newbyteorder('='))\n");
  return python_value(fmt::format("values('{}', '{}', np.s_[{}])", address.file, address.path, python_index(region)));
}

Box whole(const Shape& shape) { return {Shape(shape.size()), shape}; }

std::vector<std::byte> read_region(const Source& source, const Box& region) {
  std::vector<std::byte> memory(static_cast<std::size_t>(read_scratch(source).count()));
  Scratch scratch(memory);
  const auto bytes = element_count(region.shape()) * item_size(source.info.dtype);
  std::vector<std::byte> values(static_cast<std::size_t>(bytes), std::byte{0xa5});
  Reader(source).read(region, values, scratch);
  return values;
}

}  // namespace brim::storage
