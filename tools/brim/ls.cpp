#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "brim/dataset.h"
#include "commands.h"

namespace brim::tool {
namespace {

std::string chunks(const DatasetInfo& info) { return info.chunk_shape ? to_string(*info.chunk_shape) : info.layout; }

void list(const std::string& file) {
  std::vector<std::vector<std::string>> rows = {
      {"data set", "shape", "dtype", "stored as", "chunks", "filters", "size", "axes"}};
  for (const auto& info : list_datasets(file))
    rows.push_back({info.address.path, to_string(info.shape), std::string(to_string(info.dtype)), info.stored_dtype,
                    chunks(info), info.filters.empty() ? "-" : fmt::format("{}", fmt::join(info.filters, " ")),
                    to_string(info.stored_size), fmt::format("{}", fmt::join(info.dimension_names, " "))});
  std::vector<std::size_t> widths(rows.front().size());
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) line += fmt::format("{:<{}}  ", row[i], widths[i]);
    fmt::print("{}\n", line.substr(0, line.find_last_not_of(' ') + 1));
  }
}

}  // namespace

void add_ls(CLI::App& app) {
  auto* command = app.add_subcommand("ls", "List the data sets of a file: shapes, dtypes, chunks, compression");
  const auto file = std::make_shared<std::string>();
  command->add_option("FILE", *file, "An HDF5 or netCDF-4 file")->required();
  command->callback([file] { list(*file); });
}

}  // namespace brim::tool
