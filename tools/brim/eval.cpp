#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <memory>

#include "brim/brim.h"
#include "brim/workload.h"
#include "commands.h"
#include "print_values.h"
#include "run_options.h"

namespace brim::tool {
namespace {

struct EvalOptions {
  std::string expression;
  std::vector<std::string> inputs;
  std::string output;
  std::string dtype;
  int deflate = 0;
  std::vector<std::int64_t> chunks;
  bool raw = false;
  bool list_functions = false;
  RunOptions run;
};

/// A folder that is removed with everything in it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    auto pattern = (std::filesystem::temp_directory_path() / "brim-eval-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr)
      throw StorageError(fmt::format("cannot make a folder in {}", std::filesystem::temp_directory_path().string()),
                         "name an output with -o FILE:/DATASET");
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::map<std::string, Array> open_inputs(const EvalOptions& options) {
  std::map<std::string, Array> arrays;
  for (const auto& input : options.inputs) {
    const auto equals = input.find('=');
    if (equals == std::string::npos || equals == 0)
      throw UsageError(fmt::format("'{}' is not NAME=FILE:/DATASET", input), "for example t2=era5.h5:/t2");
    const auto name = input.substr(0, equals);
    if (!arrays.emplace(name, open(input.substr(equals + 1), {.chunks = {}, .decode = !options.raw})).second)
      throw UsageError(fmt::format("the name '{}' is given twice", name));
  }
  return arrays;
}

StoreOptions store_options(const EvalOptions& options) {
  StoreOptions result;
  result.deflate = options.deflate;
  if (!options.chunks.empty()) result.chunks = options.chunks;
  if (!options.dtype.empty()) {
    result.dtype = find_dtype(options.dtype);
    if (!result.dtype)
      throw UsageError(fmt::format("there is no dtype '{}'", options.dtype), "for example float32 or int64");
  }
  return result;
}

void eval(const EvalOptions& options) {
  if (options.list_functions) return fmt::print("{}", language_help());
  if (options.expression.empty())
    throw UsageError("there is no expression", "for example: brim eval 'mean(x)' x=file.h5:/x");
  const auto array = evaluate(options.expression, open_inputs(options));
  if (!options.output.empty()) {
    run_plan(plan(store(array, options.output, store_options(options)), plan_options(options.run)), options.run);
    return;
  }
  constexpr std::int64_t kMostPrinted = 1000;
  if (array.size() > kMostPrinted)
    throw UsageError(fmt::format("the result has shape {}: too much to print", to_string(array.shape())),
                     "name an output with -o FILE:/DATASET, or reduce it: mean(...), x[0, :10]");
  const TemporaryFolder folder;
  const auto address = folder.path() + "/result.h5:/result";
  auto run = options.run;
  run.quiet = true;
  run_plan(plan(store(array, address, store_options(options)), plan_options(run)), run);
  print_values(read(address));
}

}  // namespace

void add_eval(CLI::App& app) {
  auto* command = app.add_subcommand("eval", "Evaluate an expression over data sets");
  command->footer(
      "Examples:\n"
      "  brim eval 'mean(t2 - 273.15, axis=0)' t2=era5.h5:/t2 -o mean.h5:/t2\n"
      "  brim eval 'max(x[0, ::10])' x=data.h5:/x            prints a small result\n"
      "The language is Python's, with the functions of the array API (see --functions), + - * / // % **,\n"
      "comparisons, and/or/not, slices like x[1:, ::-1, ..., newaxis], and keyword arguments.");
  const auto options = std::make_shared<EvalOptions>();
  command->add_option("EXPRESSION", options->expression, "What to compute");
  command->add_option("INPUTS", options->inputs, "NAME=FILE:/DATASET for every name in the expression");
  command->add_option("-o,--output", options->output,
                      "FILE:/DATASET for the result; without it a small result is printed");
  command->add_option("--dtype", options->dtype, "Convert the result to this dtype");
  command->add_option("--chunks", options->chunks, "Storage chunks of the output: --chunks 12,90,180")->delimiter(',');
  command->add_option("--deflate", options->deflate, "Compress the output: 1 (fast) to 9 (small)");
  command->add_flag("--raw", options->raw, "Take stored values as they are: no fill values, scale or offset");
  command->add_flag("--functions", options->list_functions, "List every function and its arguments");
  add_plan_options(*command, options->run);
  add_watch_options(*command, options->run);
  command->callback([options] { eval(*options); });
}

}  // namespace brim::tool
